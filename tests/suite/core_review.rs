//! What a reviewer's answer may look like, what it counts for, and how several are weighed.

use countersign::core::arguments::Arguments;
use countersign::core::review::{Answer, May, Review, Weighed, Word, read, weigh};
use countersign::core::verdict::Verdict;

fn arguments(text: &str) -> Arguments {
    Arguments::parse(text).expect("the test's arguments are sound")
}

fn answer(word: Word) -> Answer {
    Answer {
        word,
        reason: "because".to_owned(),
        note: String::new(),
        arguments: None,
    }
}

fn counted(word: Word, may: &[May]) -> (Word, Option<String>) {
    let review = Review::of("guard", answer(word), may, &arguments("{}"));
    (review.counts, review.fault)
}

#[test]
fn an_answer_says_yes_or_no_or_one_of_four_words() {
    let cases = [
        (r#"{"approved": true, "reason": "because"}"#, Word::Allow),
        (r#"{"approved":false,"reason":"because"}"#, Word::Deny),
        (r#"{"verdict":"ask","reason":"because"}"#, Word::Ask),
        (
            r#"{"verdict":"annotate","reason":"because"}"#,
            Word::Annotate,
        ),
    ];
    for (text, word) in cases {
        assert_eq!(read(text), Ok(answer(word)), "{text}");
    }
    let noted = Answer {
        note: "n".to_owned(),
        arguments: Some(arguments(r#"{"to":1}"#)),
        reason: String::new(),
        ..answer(Word::Annotate)
    };
    assert_eq!(read(r#"{"note":"n","arguments":{"to":1}}"#), Ok(noted));
}

#[test]
fn anything_else_is_no_answer() {
    let cases = [
        ("", "it said nothing"),
        ("{}", "its answer has neither approved nor verdict"),
        (
            "{\"reason\":\"fine\"}",
            "its answer has neither approved nor verdict",
        ),
        (
            r#"{"approved":true,"verdict":"deny"}"#,
            "its answer has both approved and verdict",
        ),
    ];
    for (text, why) in cases {
        assert_eq!(read(text), Err(why.to_owned()));
    }
    for text in [
        "yes",
        "[]",
        r#"{"approved":"true"}"#,
        r#"{"approved":true} {"approved":false}"#,
        r#"{"approved":true,"approved":false}"#,
        r#"{"approved":true,"override_policy":true}"#,
        r#"{"verdict":"ALLOW"}"#,
        r#"{"approved":true,"arguments":[1]}"#,
        r#"{"approved":true,"arguments":{"a":1,"a":2}}"#,
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn a_word_counts_for_no_more_than_the_reviewer_may_say() {
    let usual = May::USUAL;
    assert_eq!(counted(Word::Deny, &usual), (Word::Deny, None));
    assert_eq!(counted(Word::Ask, &usual), (Word::Ask, None));
    let not = |why: &str| Some(why.to_owned());
    assert_eq!(
        counted(Word::Allow, &usual),
        (Word::Annotate, not("it may not allow"))
    );
    assert_eq!(counted(Word::Allow, &[May::Allow]), (Word::Allow, None));
    assert_eq!(
        counted(Word::Deny, &[May::Ask]),
        (Word::Ask, not("it may not deny"))
    );
    assert_eq!(
        counted(Word::Ask, &[May::Annotate]),
        (Word::Annotate, not("it may not make a call ask"))
    );
}

#[test]
fn other_arguments_run_only_by_the_word_of_one_who_may_edit() {
    let edited = || Answer {
        arguments: Some(arguments(r#"{"to":"b"}"#)),
        ..answer(Word::Allow)
    };
    let proposed = arguments(r#"{"to":"a"}"#);
    let review = |may: &[May]| Review::of("guard", edited(), may, &proposed);
    let allowed = review(&[May::Allow, May::Edit]);
    assert_eq!(allowed.counts, Word::Allow);
    let asked = review(&[May::Allow]);
    assert_eq!(asked.counts, Word::Ask);
    assert_eq!(asked.proposal(), Some(&arguments(r#"{"to":"b"}"#)));
    // The same, laid out otherwise, is no edit.
    let same = Answer {
        arguments: Some(arguments(r#"{ "to": "a" }"#)),
        ..answer(Word::Allow)
    };
    let same = Review::of("guard", same, &[May::Allow], &proposed);
    assert_eq!((same.counts, same.arguments), (Word::Allow, None));
}

fn of(words: &[Word]) -> Vec<Review> {
    let all = [May::Allow, May::Deny, May::Ask, May::Annotate, May::Edit];
    let review = |word: &Word| Review::of("guard", answer(*word), &all, &arguments("{}"));
    words.iter().map(review).collect()
}

#[test]
fn the_strictest_word_counts_and_a_note_is_no_word() {
    use Word::{Allow, Annotate, Ask, Deny};
    let weighed = |policy, words: &[Word]| match weigh(policy, &of(words)) {
        Weighed::Allow(_) => "allow",
        Weighed::Ask(_) => "ask",
        Weighed::Deny(_) => "deny",
    };
    let cases: [(&[Word], &str, &str); 7] = [
        (&[], "ask", "allow"),
        (&[Annotate], "ask", "allow"),
        (&[Allow], "allow", "allow"),
        (&[Allow, Annotate], "allow", "allow"),
        (&[Allow, Ask], "ask", "ask"),
        (&[Ask, Deny, Allow], "deny", "deny"),
        (&[Annotate, Deny], "deny", "deny"),
    ];
    for (words, asks, allows) in cases {
        let both = (weighed(Verdict::Ask, words), weighed(Verdict::Allow, words));
        assert_eq!(both, (asks, allows), "{words:?}");
    }
}

#[test]
fn nothing_runs_that_not_all_who_allow_it_have_seen() {
    let mut reviews = of(&[Word::Allow, Word::Allow]);
    reviews[1].arguments = Some(arguments(r#"{"to":"b"}"#));
    assert!(matches!(weigh(Verdict::Ask, &reviews), Weighed::Ask(_)));
    reviews[0].arguments = Some(arguments(r#"{"to":"b"}"#));
    assert!(matches!(
        weigh(Verdict::Ask, &reviews),
        Weighed::Allow(Some(_))
    ));
}

#[test]
fn whoever_gives_no_answer_has_a_person_asked_whatever_it_may_do() {
    let failed = Review::failed("guard", "it said nothing".to_owned());
    let reviews = [of(&[Word::Allow]).remove(0), failed];
    assert!(matches!(
        weigh(Verdict::Allow, &reviews),
        Weighed::Ask(Some(_))
    ));
}
