//! Untrusted text made visible: nothing hides, nothing is lost, nothing imitates our signs.

use countersign::core::shown::{Piece, Shown, pieces};
use proptest::prelude::*;
use unicode_properties::{
    GeneralCategory, GeneralCategoryGroup, UnicodeEmoji, UnicodeGeneralCategory,
};

type Profile = fn(&str) -> Shown;
const STRICT: Profile = Shown::strict;
const LABEL: Profile = Shown::label;
const LAID_OUT: Profile = Shown::laid_out;
const PROSE: Profile = Shown::prose;
const STORED: Profile = |text| Shown::from(text.to_owned());
const ALL: [Profile; 5] = [STRICT, LABEL, LAID_OUT, PROSE, STORED];

/// Characters that have hidden something somewhere, and those next to them.
const NASTY: &str = "\0\u{1}\u{7}\u{8}\t\n\r\u{1b}\u{7f}\u{80}\u{85}\u{9b}\u{a0}\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{1161}\u{11a8}\
    \u{1680}\u{17b4}\u{180e}\u{2000}\u{2007}\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{202f}\u{205f}\
    \u{2060}\u{2064}\u{2066}\u{2069}\u{206f}\u{2800}\u{3000}\u{3164}\u{d7b0}\u{e000}\u{fe00}\u{fe0e}\u{fe0f}\u{feff}\u{ffa0}\u{fff9}\
    \u{fffc}\u{fffd}\u{fffe}\u{13430}\u{1d159}\u{1d173}\u{e0001}\u{e0020}\u{e007f}\u{e0100}\u{10fffd}\u{10ffff}\
    \u{300}\u{301}\u{338}\u{489}\u{20e3}\u{fe20}⏎→⟨⟩U+202E1a❤👩👧👍🏽🇫🇷é한عربي中";

fn hostile() -> impl Strategy<Value = String> {
    let nasty: Vec<char> = NASTY.chars().collect();
    let one = prop_oneof![4 => prop::sample::select(nasty), 1 => any::<char>(), 1 => prop::char::range(' ', '~')];
    prop::collection::vec(one, 0..40).prop_map(String::from_iter)
}

/// What Unicode calls default-ignorable, and what shows nothing although its category prints.
fn shows_nothing(c: char) -> bool {
    matches!(u32::from(c),
        0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F | 0x202A..=0x202E
        | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFF8 | 0x1BCA0..=0x1BCA3
        | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF
        | 0x2800 | 0xFFFC | 0x1D159)
}

fn is_unusual(c: char) -> bool {
    let other = matches!(
        c.general_category_group(),
        GeneralCategoryGroup::Other | GeneralCategoryGroup::Separator
    );
    (other && c != ' ') || shows_nothing(c)
}

fn combines(c: char) -> bool {
    c.general_category_group() == GeneralCategoryGroup::Mark
        || matches!(c, '\u{1160}'..='\u{11FF}' | '\u{D7B0}'..='\u{D7FF}')
}

/// What of an unusual character may stand: the joiner and the selector within an emoji.
fn is_part_of_emoji(before: Option<char>, c: char) -> bool {
    let emoji = before.is_some_and(|c| c.is_emoji_char() || c == '\u{FE0F}');
    matches!(c, '\u{FE0F}' | '\u{200D}') && emoji
}

/// The way back from a strict text.
fn unshown(shown: &str) -> String {
    let mut text = String::new();
    let mut rest = shown.chars();
    while let Some(c) = rest.next() {
        text.push(match c {
            '⟨' => {
                let code: String = rest.by_ref().take_while(|c| *c != '⟩').collect();
                if let Some(count) = code.strip_suffix(" spaces") {
                    let count = count.parse().expect("spaces are counted");
                    text.extend(std::iter::repeat_n(' ', count));
                    continue;
                }
                let code = code.strip_prefix("U+").expect("a sign names a code point");
                let code = u32::from_str_radix(code, 16).expect("in hexadecimal");
                char::from_u32(code).expect("of a character")
            }
            '⏎' => {
                assert_eq!(rest.next(), Some('\n'), "the mark stands at a break");
                '\n'
            }
            '→' => '\t',
            plain => plain,
        });
    }
    text
}

proptest! {
    #[test]
    fn nothing_unusual_survives(text in hostile()) {
        for profile in [STRICT, LABEL, LAID_OUT] {
            let shown = profile(&text);
            prop_assert!(!shown.as_str().contains(|c| c != '\n' && is_unusual(c)), "{shown:?}");
        }
    }

    #[test]
    fn prose_and_what_was_stored_keep_an_emoji_whole_and_nothing_else(text in hostile()) {
        for profile in [PROSE, STORED] {
            let shown = profile(&text);
            let mut before = None;
            for c in shown.as_str().chars() {
                let fine = c == '\n' || !is_unusual(c) || is_part_of_emoji(before, c);
                prop_assert!(fine, "{c:?} in {shown:?}");
                before = Some(c);
            }
        }
    }

    #[test]
    fn strict_can_be_read_back(text in hostile()) {
        let shown = Shown::strict(&text);
        prop_assert_eq!(unshown(shown.as_str()), text);
    }

    #[test]
    fn a_label_is_one_row_and_says_the_same_as_strict(text in hostile()) {
        let label = Shown::label(&text);
        prop_assert_eq!(label.rows().count(), 1);
        let strict = Shown::strict(&text);
        prop_assert_eq!(label.as_str(), strict.as_str().replace('\n', ""));
    }

    #[test]
    fn what_we_laid_out_keeps_its_rows(text in hostile()) {
        let shown = Shown::laid_out(&text);
        let rows: Vec<_> = text.split('\n').map(|row| Shown::label(row).to_string()).collect();
        prop_assert_eq!(shown.rows().collect::<Vec<_>>(), rows);
    }

    #[test]
    fn marks_are_bounded_and_stand_on_what_stood_in_the_text(text in hostile()) {
        for profile in ALL {
            let shown = profile(&text);
            let (mut marks, mut before) = (0, None);
            for c in shown.as_str().chars() {
                marks = if combines(c) { marks + 1 } else { 0 };
                let on_a_sign = matches!(before, None | Some('\n' | '⏎' | '→' | '⟨' | '⟩'));
                prop_assert!(marks <= 3 && (marks == 0 || !on_a_sign), "{shown:?}");
                before = Some(c);
            }
        }
    }

    /// Idempotence: what was shown once and stored is read back as it was, whatever made it.
    #[test]
    fn a_shown_text_comes_back_from_a_file_as_it_was(text in hostile()) {
        for profile in ALL {
            let shown = profile(&text);
            prop_assert_eq!(&Shown::from(shown.as_str().to_owned()), &shown);
            let json = serde_json::to_string(&shown).expect("a text is JSON");
            prop_assert_eq!(serde_json::from_str::<Shown>(&json).expect("and back"), shown);
        }
    }

    #[test]
    fn pieces_lose_nothing_and_tell_our_signs_from_the_text(text in hostile()) {
        for row in Shown::strict(&text).rows() {
            let mut whole = String::new();
            let mut after_plain = false;
            for piece in pieces(row) {
                let (part, plain) = match piece {
                    Piece::Plain(part) => (part, true),
                    Piece::Sign(part) => (part, false),
                };
                prop_assert_ne!(part, "");
                prop_assert!(!plain || !after_plain, "one run in two pieces");
                prop_assert_ne!(plain, part.contains(['⏎', '→', '⟨', '⟩']));
                whole.push_str(part);
                after_plain = plain;
            }
            prop_assert_eq!(whole, row);
        }
    }

    #[test]
    fn plain_text_stays_as_it_is(text in "[ -~éßØ中한عربي…“”—]{0,40}") {
        for profile in ALL {
            let shown = profile(&text);
            prop_assert_eq!(shown.as_str(), text.as_str());
        }
    }
}

#[test]
fn no_character_of_unicode_hides() {
    // Each on a base of its own, so that marks stand.
    let text: String = ('\0'..=char::MAX).flat_map(|c| ['a', c]).collect();
    let shown = Shown::label(&text);
    assert_eq!(shown.as_str().chars().find(|c| is_unusual(*c)), None);
}

#[test]
fn unassigned_and_private_characters_are_what_this_test_thinks() {
    assert_eq!('\u{E000}'.general_category(), GeneralCategory::PrivateUse);
    assert_eq!('\u{378}'.general_category(), GeneralCategory::Unassigned);
}

#[test]
fn each_unusual_character_is_written_out() {
    let cases = [
        (
            "a\u{1b}[31mb\u{1b}]0;x\u{7}",
            "a⟨U+001B⟩[31mb⟨U+001B⟩]0;x⟨U+0007⟩",
        ),
        ("a\u{9b}31m", "a⟨U+009B⟩31m"),
        ("\u{8}\u{7f}\0", "⟨U+0008⟩⟨U+007F⟩⟨U+0000⟩"),
        ("gpj.\u{202e}exe", "gpj.⟨U+202E⟩exe"),
        ("a\u{200b}b\u{2060}c", "a⟨U+200B⟩b⟨U+2060⟩c"),
        ("\u{e0001}\u{e0068}\u{e0069}", "⟨U+E0001⟩⟨U+E0068⟩⟨U+E0069⟩"),
        (
            "\u{3164}\u{115f}\u{1160}\u{ffa0}",
            "⟨U+3164⟩⟨U+115F⟩⟨U+1160⟩⟨U+FFA0⟩",
        ),
        ("a\u{2800}b", "a⟨U+2800⟩b"),
        (
            "a\u{a0}b\u{3000}c\u{2003}d\u{202f}e",
            "a⟨U+00A0⟩b⟨U+3000⟩c⟨U+2003⟩d⟨U+202F⟩e",
        ),
        ("\u{feff}a", "⟨U+FEFF⟩a"),
        ("pass\u{ad}word", "pass⟨U+00AD⟩word"),
        ("a\u{2028}b\u{2029}c\u{85}d", "a⟨U+2028⟩b⟨U+2029⟩c⟨U+0085⟩d"),
        ("\u{1d159}\u{13441}\u{16fe4}", "⟨U+1D159⟩⟨U+13441⟩⟨U+16FE4⟩"),
        ("\u{e000}\u{10ffff}\u{378}", "⟨U+E000⟩⟨U+10FFFF⟩⟨U+0378⟩"),
        ("a\tb", "a→b"),
    ];
    for (text, shown) in cases {
        for profile in [STRICT, LABEL, LAID_OUT, PROSE] {
            assert_eq!(profile(text).as_str(), shown);
        }
    }
}

#[test]
fn breaks_leave_a_mark_in_arguments_and_none_in_prose() {
    let text = "a\nb\r\nc\rd\n";
    assert_eq!(STRICT(text).as_str(), "a⏎\nb⟨U+000D⟩⏎\nc⟨U+000D⟩d⏎\n");
    assert_eq!(LABEL(text).as_str(), "a⏎b⟨U+000D⟩⏎c⟨U+000D⟩d⏎");
    assert_eq!(LAID_OUT(text).as_str(), "a\nb⟨U+000D⟩\nc⟨U+000D⟩d\n");
    assert_eq!(PROSE(text).as_str(), "a\nb\nc⟨U+000D⟩d\n");
}

#[test]
fn a_text_cannot_imitate_our_signs() {
    let text = "⟨U+202E⟩ ⏎ →";
    let strict = "⟨U+27E8⟩U+202E⟨U+27E9⟩ ⟨U+23CE⟩ ⟨U+2192⟩";
    assert_eq!(STRICT(text).as_str(), strict);
    assert_eq!(LABEL(text).as_str(), strict);
    // In prose an arrow is a word like another; it cannot be mistaken for something written out.
    assert_eq!(PROSE(text).as_str(), "⟨U+27E8⟩U+202E⟨U+27E9⟩ ⟨U+23CE⟩ →");
}

#[test]
fn a_mark_cannot_strike_out_our_sign() {
    // U+0338 would draw a stroke through the sign before it.
    assert_eq!(STRICT("\u{338}\u{338}").as_str(), "⟨U+0338⟩⟨U+0338⟩");
    assert_eq!(STRICT("\u{202e}\u{338}").as_str(), "⟨U+202E⟩⟨U+0338⟩");
    assert_eq!(
        STRICT("⟩\u{338}\u{338}").as_str(),
        "⟨U+27E9⟩⟨U+0338⟩⟨U+0338⟩"
    );
    assert_eq!(PROSE("→\u{338}\n\u{338}").as_str(), "→⟨U+0338⟩\n⟨U+0338⟩");
}

#[test]
fn only_three_marks_pile_up_on_a_character() {
    let zalgo = format!("e{}x", "\u{301}".repeat(5));
    assert_eq!(
        PROSE(&zalgo).as_str(),
        "e\u{301}\u{301}\u{301}⟨U+0301⟩⟨U+0301⟩x"
    );
    let jamo = format!("가{}", "\u{11a8}".repeat(4));
    assert_eq!(PROSE(&jamo).as_str(), "가\u{11a8}\u{11a8}\u{11a8}⟨U+11A8⟩");
}

#[test]
fn emoji_stay_whole_in_prose_and_show_their_parts_in_arguments() {
    let cases = [
        ("❤\u{fe0f}", "❤⟨U+FE0F⟩"),
        ("1\u{fe0f}\u{20e3}", "1⟨U+FE0F⟩⟨U+20E3⟩"),
        ("👩\u{200d}👩\u{200d}👧", "👩⟨U+200D⟩👩⟨U+200D⟩👧"),
        ("❤\u{fe0f}\u{200d}🔥", "❤⟨U+FE0F⟩⟨U+200D⟩🔥"),
        ("🇫🇷👍🏽", "🇫🇷👍🏽"),
    ];
    for (text, strict) in cases {
        assert_eq!(PROSE(text).as_str(), text);
        assert_eq!(STRICT(text).as_str(), strict);
    }
}

#[test]
fn a_joiner_or_selector_outside_an_emoji_is_written_out() {
    let cases = [
        ("a\u{200d}b", "a⟨U+200D⟩b"),
        ("👩\u{200d}x", "👩⟨U+200D⟩x"),
        ("a\u{fe0f}\u{200d}❤", "a⟨U+FE0F⟩⟨U+200D⟩❤"),
        ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}⟨U+FE0F⟩"),
        ("\u{fe0e}", "⟨U+FE0E⟩"),
    ];
    for (text, shown) in cases {
        assert_eq!(PROSE(text).as_str(), shown);
    }
}

#[test]
fn the_worlds_scripts_are_plain() {
    for text in [
        "日本語の文",
        "한국어",
        "مرحبا بالعالم",
        "שלום",
        "हिन्दी",
        "Ελληνικά",
        "e\u{301}",
        "«œuvre»",
        "½ ≤ ∞ ✓ €",
    ] {
        for profile in ALL {
            assert_eq!(profile(text).as_str(), text);
        }
    }
}

#[test]
fn a_stored_text_that_was_tampered_with_is_made_visible() {
    let forged: Shown =
        serde_json::from_str(r#""safe\u202e\u001b[2J ⟨U+0041⟩ →\n""#).expect("it is JSON");
    assert_eq!(forged.as_str(), "safe⟨U+202E⟩⟨U+001B⟩[2J ⟨U+0041⟩ →\n");
}

#[test]
fn an_empty_text_is_one_empty_row() {
    assert_eq!(Shown::strict("").rows().collect::<Vec<_>>(), [""]);
    assert!(Shown::default().is_empty());
    assert_eq!(pieces("").count(), 0);
    assert_eq!(Shown::literal("ready"), Shown::label("ready"));
}

#[test]
fn a_sign_that_is_cut_off_is_still_a_sign() {
    let cut: Vec<_> = pieces("ab⟨U+20").collect();
    assert_eq!(cut, [Piece::Plain("ab"), Piece::Sign("⟨U+20")]);
    let odd: Vec<_> = pieces("⟩→a⏎").collect();
    assert_eq!(
        odd,
        [
            Piece::Sign("⟩"),
            Piece::Sign("→"),
            Piece::Plain("a"),
            Piece::Sign("⏎")
        ]
    );
}
