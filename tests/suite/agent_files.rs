//! File tools in a run: the diff is worked out before anyone is asked, and holds until it is signed.

use crate::support::agent::{Run, Setup, ruling};
use countersign::core::arguments::Arguments;
use countersign::core::call::{Call, Risk, ShownFile};
use countersign::core::decision::{Decision, Ruling};
use countersign::core::digest::Digest;
use countersign::core::run::Outcome;

const WRITE: &str = "{ id = 'a', tool = 'write_file', arguments = { path = 'plan.md', content = \"one\\nthree\\n\" } },";
const DELETE: &str = "{ id = 'a', tool = 'delete_file', arguments = { path = 'plan.md' } },";
const BEFORE: &str = "one\ntwo\n";

async fn asked(calls: &str) -> (Run, Call) {
    let setup = Setup::calls(calls, "{{a.came}}").put("plan.md", BEFORE);
    let mut run = setup.start().await;
    run.say("go").await;
    let call = run.arrival().await;
    (run, call)
}

#[tokio::test]
async fn the_change_is_shown_with_the_call_and_is_what_happens() {
    let (mut run, call) = asked(WRITE).await;
    let preview = call.preview.clone().expect("a change of a file has one");
    assert_eq!(preview.path, "plan.md");
    assert_eq!(preview.before, Some(Digest::of_bytes(BEFORE.as_bytes())));
    assert_eq!(run.file("plan.md"), BEFORE, "nothing is done before");
    run.approve(&call).await;
    assert_eq!(run.end().await, "approved");
    assert_eq!(run.file("plan.md"), "one\nthree\n");
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_shown_is_left_alone() {
    for calls in [WRITE, DELETE] {
        let (mut run, call) = asked(calls).await;
        std::fs::write(run.path("plan.md"), "somebody else's").expect("a file");
        run.approve(&call).await;
        assert_eq!(run.end().await, "failed");
        assert!(matches!(run.outcome("a-1-0"), Outcome::Failed { .. }));
        assert_eq!(run.file("plan.md"), "somebody else's");
    }
}

#[tokio::test]
async fn a_file_that_was_not_there_must_still_not_be_there() {
    let calls = WRITE.replace("plan.md", "new.md");
    let (mut run, call) = asked(&calls).await;
    assert_eq!(call.preview.clone().expect("a change").before, None);
    std::fs::write(run.path("new.md"), "somebody else's").expect("a file");
    run.approve(&call).await;
    assert_eq!(run.end().await, "failed");
    assert_eq!(run.file("new.md"), "somebody else's");
}

#[tokio::test]
async fn deleting_is_marked_as_destructive() {
    let (mut run, call) = asked(DELETE).await;
    assert!(call.risks.contains(&Risk::Destructive));
    run.approve(&call).await;
    assert_eq!(run.end().await, "approved");
    assert!(!run.path("plan.md").exists());
}

#[tokio::test]
async fn edited_arguments_may_mean_another_file() {
    let (mut run, call) = asked(WRITE).await;
    let text = "{\"path\":\"other.md\",\"content\":\"x\"}";
    let arguments = Some(Arguments::parse(text).expect("an object"));
    run.decide(&call, Decision::Approve { arguments }).await;
    assert_eq!(run.end().await, "edited");
    assert_eq!(
        (run.file("plan.md"), run.file("other.md")),
        (BEFORE.to_owned(), "x".to_owned())
    );
}

#[tokio::test]
async fn a_way_out_of_the_workspace_stays_closed_even_if_it_is_signed() {
    let (mut run, call) = asked(WRITE).await;
    let text = "{\"path\":\"../escaped.md\",\"content\":\"x\"}";
    let arguments = Some(Arguments::parse(text).expect("an object"));
    run.decide(&call, Decision::Approve { arguments }).await;
    assert_eq!(run.end().await, "failed");
    assert!(!run.path("../escaped.md").exists());
}

#[tokio::test]
async fn nobody_is_asked_about_a_call_that_is_known_to_fail() {
    let cases = [
        (
            WRITE.replace("plan.md", "../escaped.md"),
            "../escaped.md: `..` is refused; write the path from the workspace down",
        ),
        (
            DELETE.replace("plan.md", "none.md"),
            "none.md: no such file or folder",
        ),
        (
            "{ id = 'a', tool = 'edit_file', arguments = { path = 'plan.md', old = 'four', new = '4' } },".to_owned(),
            "plan.md: `old` does not occur in the file; read it again and copy the text exactly",
        ),
    ];
    for (calls, why) in cases {
        let setup = Setup::calls(&calls, "{{a.came}}: {{a.result}}").put("plan.md", BEFORE);
        let mut run = setup.start().await;
        run.say("go").await;
        let told = run.end().await;
        assert!(told.starts_with("failed: ") && told.contains(why), "{told}");
        let message = why.to_owned();
        assert_eq!(run.outcome("a-1-0"), Outcome::Failed { message });
        assert!(!run.ran("a-1-0"));
        assert!(run.steps().iter().all(|step| !step.starts_with("arrived")));
        assert_eq!(run.file("plan.md"), BEFORE);
    }
}

#[tokio::test]
async fn what_policy_denies_is_denied_whether_or_not_it_would_fail() {
    let calls = DELETE.replace("plan.md", "none.md");
    let mut run = Setup::calls(&calls, "{{a.came}}")
        .rules("[[rules]]\ntool = 'delete_file'\nverdict = 'deny'\n")
        .start()
        .await;
    run.say("go").await;
    assert_eq!(run.end().await, "denied");
}

/// An edit to this path, signed as the file was shown.
async fn edited(path: &str, file: ShownFile) -> (Run, String) {
    let setup = Setup::calls(WRITE, "{{a.came}}")
        .put("plan.md", BEFORE)
        .put("other.md", "old\n");
    let mut run = setup.start().await;
    run.say("go").await;
    let call = run.arrival().await;
    let text = format!("{{\"path\":\"{path}\",\"content\":\"x\"}}");
    let arguments = Some(Arguments::parse(&text).expect("an object"));
    let file = Some(file);
    run.deliver(Ruling {
        file,
        ..ruling(&call, Decision::Approve { arguments })
    })
    .await;
    let came = run.end().await;
    (run, came)
}

#[tokio::test]
async fn an_edit_takes_the_place_of_a_file_only_if_that_is_as_it_was_shown() {
    let shown = |text: &str| ShownFile::Content(Digest::of_bytes(text.as_bytes()));
    let (run, came) = edited("other.md", shown("old\n")).await;
    assert_eq!(
        (came.as_str(), run.file("other.md").as_str()),
        ("edited", "x")
    );
    let changed = [
        ("other.md", shown("older\n"), "old\n"),
        ("other.md", ShownFile::Absent, "old\n"),
        ("plan.md", shown("one\n"), BEFORE),
    ];
    for (path, file, left) in changed {
        let (run, came) = edited(path, file).await;
        assert_eq!((came.as_str(), run.file(path).as_str()), ("failed", left));
    }
}
