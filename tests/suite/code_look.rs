//! Code mode: which calls are known before a script runs.

use crate::support::code::{functions, limits, program, start, value, wanted};
use countersign::code::{Script, Stand, Wanted};
use proptest::prelude::*;
use serde_json::{Value, json};

async fn foreseen(code: &str) -> Vec<Wanted> {
    let found = Script::look_ahead(program(), code, &functions(), &limits()).await;
    found.expect("it is looked at")
}

fn read(number: u32, path: &str, line: u32) -> Wanted {
    wanted(number, "read_file", json!({ "path": path }), line)
}

fn numbers(found: &[Wanted]) -> Vec<u32> {
    found.iter().map(|wanted| wanted.number).collect()
}

#[tokio::test]
async fn calls_with_known_arguments_are_foreseen_with_their_numbers_and_lines() {
    let code = "base = 'src/'\na = read_file(base + 'a')\nfor name in ['b', 'c']:\n    read_file(path=f'{base}{name}.rs', start=1 + 1)\ndelete_file(a)\ndelete_file('z', dry_run=True)";
    let expected = [
        read(1, "src/a", 2),
        wanted(2, "read_file", json!({"path": "src/b.rs", "start": 2}), 4),
        wanted(3, "read_file", json!({"path": "src/c.rs", "start": 2}), 4),
        // The fourth hangs on the first one's result: it is counted, and not known.
        wanted(5, "delete_file", json!({"path": "z", "dry-run": true}), 6),
    ];
    assert_eq!(foreseen(code).await, expected);
}

#[tokio::test]
async fn a_gather_is_foreseen_whole_and_what_follows_it_too() {
    let code = "import asyncio\nr = await asyncio.gather(*[read_file(p) for p in ('a', 'b')], delete_file('c'))\nawait read_file('d')";
    let expected = [
        read(1, "a", 2),
        read(2, "b", 2),
        wanted(3, "delete_file", json!({"path": "c"}), 2),
        read(4, "d", 3),
    ];
    assert_eq!(foreseen(code).await, expected);
}

#[tokio::test]
async fn functions_of_the_script_are_gone_into() {
    let code = "import asyncio\nasync def one(p):\n    return await read_file('x/' + p)\nasync def main():\n    await one('a')\n    out = []\n    for p in ['b', 'c']:\n        out.append(await one(p))\n    return out\nawait main()";
    let expected = [read(1, "x/a", 3), read(2, "x/b", 3), read(3, "x/c", 3)];
    assert_eq!(foreseen(code).await, expected);
    // Of tasks, only the first call of each: whose answer comes first is not known.
    let code = "import asyncio\nasync def two(p):\n    await read_file(p)\n    await read_file(p + p)\nawait asyncio.gather(two('a'), two('b'), read_file('c'))";
    let expected = [read(1, "c", 5), read(2, "a", 3), read(3, "b", 3)];
    assert_eq!(foreseen(code).await, expected);
}

#[tokio::test]
async fn what_hangs_on_a_result_ends_the_look() {
    for code in [
        "x = read_file('a')\nif x:\n    read_file('b')",
        "x = read_file('a')\nfor y in x:\n    read_file('b')\nread_file('c')",
        "x = read_file('a')\nwhile x:\n    read_file('b')",
        "x = read_file('a')\n[read_file(y) for y in x]",
        "x = read_file('a')\nx.strip()\nread_file('b')",
        "x = read_file('a')\nx + 'b'\nread_file('b')",
        "x = read_file('a')\nx['k']\nread_file('b')",
        "x = read_file('a')\ny, z = x\nread_file('b')",
        "x = read_file('a')\nx and read_file('b')",
        "x = read_file('a')\nread_file('b') if x else None",
        "x = read_file('a')\nf'{x:>10}'\nread_file('b')",
        "x = read_file('a')\nread_file(*x)\nread_file('b')",
        "x = read_file('a')\nread_file(**x)\nread_file('b')",
        "x = read_file('a')\nassert x\nread_file('b')",
        "read_file('a')\nraise ValueError\nread_file('b')",
        "read_file('a')\nnope()\nread_file('b')",
        "read_file('a')\nwith x:\n    read_file('b')",
        "read_file('a')\nclass X:\n    y = read_file('b')",
        "read_file('a')\n1 / 0\nread_file('b')",
        "read_file('a')\nread_file('b', 1, 2)\nread_file('c')",
    ] {
        assert_eq!(foreseen(code).await, [read(1, "a", 1)], "{code}");
    }
}

#[tokio::test]
async fn what_only_looks_like_a_call_of_a_tool_is_none() {
    for code in [
        "def read_file(path):\n    pass\nread_file('a')",
        "read_file = print\nread_file('a')",
        "[read_file for read_file in [1]]\nx = = 1",
        "print = 1\nprint(read_file('a'))",
        "async def f():\n    await read_file('a')\nf()",
        "c = read_file('a')\nif not c:\n    await c",
        "import asyncio\nasync def a():\n    await read_file('a')\nasync def b():\n    1 / 0\nawait asyncio.gather(a(), b())",
        "",
    ] {
        assert_eq!(foreseen(code).await, [], "{code}");
    }
}

#[tokio::test]
async fn what_is_foreseen_is_bounded() {
    let endless = "while True:\n    read_file('a')";
    assert_eq!(foreseen(endless).await.len(), 100);
    for code in [
        "x = 'a'\nfor i in range(1000):\n    x = x + x\nread_file('b')",
        "x = [1]\nfor i in range(1000):\n    x += x\nread_file('b')",
        "x = [1]\nfor i in range(1000):\n    x = [x, x]\nread_file(x)",
        "while True:\n    pass",
        "def f():\n    f()\nf()",
    ] {
        assert_eq!(foreseen(code).await, [], "{code}");
    }
    let wide = format!("read_file({})", vec!["'x'"; 3000].join(" + "));
    assert_eq!(foreseen(&wide).await, []);
}

const TEXTS: &[&str] = &[
    "'a'",
    "'b'",
    "'ä'",
    "''",
    "f'{n}-{s}'",
    "s",
    "f'x{s}'",
    "str(n)",
    "f'{r}'",
    "r",
    "l[0]",
    "d['k']",
    "s + 'x'",
];
const LISTS: &[&str] = &[
    "['a', 'b']",
    "('c',)",
    "[]",
    "l",
    "'xy'",
    "[s, 'q']",
    "[str(i) for i in range(3)]",
    "r",
    "list(l)",
];
const CHECKS: &[&str] = &[
    "True",
    "False",
    "n == 1",
    "n < 3",
    "'a' in l",
    "not l",
    "r",
    "r == 1",
    "r is None",
    "s",
    "len(l) > 2",
    "n and s",
];
const MORE: &[&str] = &[
    "",
    ", start=n",
    ", None",
    ", start=len(l)",
    ", 1, 2",
    ", other=[1, {'k': s}]",
];
const STEPS: &[&str] = &[
    "n = n + 1",
    "n += 2",
    "s += 'z'",
    "l += ['m']",
    "x, y = l",
    "x, y = s, n",
    "pass",
    "n = -n",
    "r = r + 1",
    "l = l + ['e']",
];

/// One line that the look understands, or does not.
fn line() -> impl Strategy<Value = String> {
    let text = || prop::sample::select(TEXTS);
    let list = || prop::sample::select(LISTS);
    let call = || {
        (text(), prop::sample::select(MORE))
            .prop_map(|(text, more)| format!("read_file({text}{more})"))
    };
    prop_oneof![
        6 => call().prop_map(|call| format!("AWAIT {call}")),
        3 => call().prop_map(|call| format!("r = AWAIT {call}")),
        2 => (call(), call()).prop_map(|(one, two)| format!("GATHER({one}, {two})")),
        1 => (call(), list()).prop_map(|(call, list)| format!("l = GATHER(*[{call} for s in {list}])")),
        1 => call().prop_map(|call| format!("l.append(AWAIT {call})")),
        1 => call().prop_map(|call| format!("d['k'] = AWAIT {call}")),
        1 => call().prop_map(|call| format!("t = {call}")),
        1 => Just("r = AWAIT t".to_owned()),
        1 => call(),
        1 => call().prop_map(|call| format!("r = {call}")),
        1 => (call(), text()).prop_map(|(call, text)| format!("read_file(str({call}) + {text})")),
        1 => text().prop_map(|text| format!("one({text})")),
        1 => text().prop_map(|text| format!("AWAIT two({text})")),
        1 => (text(), text()).prop_map(|(one, two)| format!("GATHER(two({one}), two({two}), later({one}))")),
        1 => text().prop_map(|text| format!("s = {text}")),
        1 => text().prop_map(|text| format!("print({text})")),
        1 => prop::sample::select(STEPS).prop_map(str::to_owned),
    ]
}

/// Lines, with loops, branches and the like around them.
fn block() -> impl Strategy<Value = Vec<String>> {
    line().prop_map(|line| vec![line]).prop_recursive(3, 24, 4, |inner| {
        let body = prop::collection::vec(inner, 1..4).prop_map(|lines: Vec<Vec<String>>| -> Vec<String> {
            lines.concat().into_iter().map(|line| format!("    {line}")).collect()
        });
        let check = || prop::sample::select(CHECKS);
        let two = (body.clone(), body.clone());
        prop_oneof![
            3 => (prop::sample::select(LISTS), body.clone()).prop_map(|(list, body)| [vec![format!("for s in {list}:")], body].concat()),
            1 => body.clone().prop_map(|body| [vec!["for n, s in enumerate(l):".to_owned()], body].concat()),
            2 => (check(), two.clone()).prop_map(|(check, (one, two))| [vec![format!("if {check}:")], one, vec!["else:".to_owned()], two].concat()),
            1 => two.prop_map(|(one, two)| [vec!["try:".to_owned()], one, vec!["except Exception:".to_owned()], two].concat()),
            1 => (check(), body).prop_map(|(check, body)| [vec![format!("while {check}:")], body, vec!["    break".to_owned()]].concat()),
        ]
    })
}

/// A script with such lines, its calls awaited or not.
fn script() -> impl Strategy<Value = String> {
    (prop::collection::vec(block(), 1..6), any::<bool>()).prop_map(|(lines, concurrent)| {
        let body = lines.concat().join("\n");
        let (begin, wait, def, body) = if concurrent {
            ("import asyncio\n", "await ", "async def", body.replace("GATHER(", "await asyncio.gather("))
        } else {
            ("", "", "def", body.replace("GATHER(*", "list(").replace("GATHER(", "print("))
        };
        // What is awaited of one that has no `await` is a plain call.
        let body = body.replace("AWAIT ", wait);
        format!(
            "{begin}n = 1\ns = 's'\nr = 0\nl = ['p', 'q']\nd = {{'k': 'v'}}\ndef one(p):\n    return read_file(p)\n{def} two(p):\n    x = {wait}read_file(p)\n    {wait}read_file(p + p)\n    return x\n{def} later(p):\n    return p\n{body}"
        )
    })
}

fn result() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..3).prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::hash_map("[ak]", inner, 0..2)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// All calls that a real run asks for.
async fn asked_for(code: &str, results: &[Value]) -> Vec<Wanted> {
    let (mut script, mut stand) = start(code).await;
    let mut asked: Vec<Wanted> = Vec::new();
    let mut results = results.iter().cycle();
    while let Stand::Paused(pause) = stand {
        asked.extend(
            pause
                .calls
                .iter()
                .filter(|call| !asked.contains(call))
                .cloned()
                .collect::<Vec<_>>(),
        );
        // One answer or all at once, as it comes.
        let few = results.next().is_some_and(Value::is_string);
        let answered = pause
            .calls
            .iter()
            .rev()
            .take(if few { 1 } else { usize::MAX });
        let replies = answered
            .filter_map(|call| Some(value(call.number, results.next()?.clone())))
            .collect();
        stand = match script.reply(replies).await {
            Ok(stand) => stand,
            Err(_) => break,
        };
    }
    asked
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_foreseen_is_asked_for_whatever_the_results(code in script(), results in prop::collection::vec(result(), 1..6)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it is made");
        let (foreseen, asked) = runtime.block_on(async { (foreseen(&code).await, asked_for(&code, &results).await) });
        for call in &foreseen {
            prop_assert!(asked.contains(call), "{}\n{:?} is not asked for, only {:?}", code, call, asked);
        }
    }
}

#[test]
fn the_scripts_of_that_test_are_understood_well_enough_to_mean_something() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("it is made");
    let mut found = 0;
    for _ in 0..40 {
        let code = script()
            .new_tree(&mut runner)
            .expect("it is made")
            .current();
        found += numbers(&runtime.block_on(foreseen(&code))).len();
    }
    assert!(found > 60, "only {found} calls are foreseen in all");
}
