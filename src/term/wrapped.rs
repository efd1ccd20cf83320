//! Sequences for the terminal itself, wrapped so that what stands in between passes them on.
//!
//! Owns the wrapping and the notifications. A notification carries a number and fixed words, never
//! anything of a call.

use crate::core::attention::{Call, Through};

/// A sequence longer than this is passed on in parts by GNU screen's rule.
const SCREEN_PART: usize = 760;
const BEL: &str = "\x07";

/// The sequence as it gets through. It must end with BEL: an `esc \` in it would end the wrapping.
pub(super) fn wrapped(sequence: &str, through: Through) -> Vec<u8> {
    match through {
        Through::Nothing => sequence.as_bytes().to_vec(),
        Through::Tmux => {
            let inner = sequence.replace('\x1b', "\x1b\x1b");
            format!("\x1bPtmux;{inner}\x1b\\").into_bytes()
        }
        Through::Screen => {
            let parts = sequence.as_bytes().chunks(SCREEN_PART);
            parts
                .flat_map(|part| [b"\x1bP".as_slice(), part, b"\x1b\\"].concat())
                .collect()
        }
    }
}

/// Calls the operator: `waiting` calls wait. The bell always rings, since nobody can tell whether the
/// rest is understood.
pub(super) fn notification(waiting: usize, call: Call, through: Through) -> Vec<u8> {
    let words = if waiting == 1 {
        "1 call waits".to_owned()
    } else {
        format!("{waiting} calls wait")
    };
    let sequence = match call {
        Call::Bell => return BEL.as_bytes().to_vec(),
        Call::Osc9 => format!("\x1b]9;countersign: {words}{BEL}"),
        Call::Osc777 => format!("\x1b]777;notify;countersign;{words}{BEL}"),
        // One name for all of them: a newer one takes the place of the older.
        Call::Osc99 => format!("\x1b]99;i=countersign;countersign: {words}{BEL}"),
    };
    let mut bytes = wrapped(&sequence, through);
    bytes.extend_from_slice(BEL.as_bytes());
    bytes
}
