//! How a cell looks, and the shortest sequence that changes from one look to another.

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

/// Colours and modifiers, as the terminal has them on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            fg: Color::Reset,
            bg: Color::Reset,
            modifier: Modifier::empty(),
        }
    }
}

/// What shows on a cell without a letter.
const ON_BLANKS: Modifier = Modifier::UNDERLINED
    .union(Modifier::REVERSED)
    .union(Modifier::CROSSED_OUT);

const BOLD_OR_DIM: Modifier = Modifier::BOLD.union(Modifier::DIM);

/// Each modifier with the numbers that switch it on and off.
const MODIFIERS: [(Modifier, u8, u8); 9] = [
    (Modifier::BOLD, 1, 22),
    (Modifier::DIM, 2, 22),
    (Modifier::ITALIC, 3, 23),
    (Modifier::UNDERLINED, 4, 24),
    (Modifier::SLOW_BLINK, 5, 25),
    (Modifier::RAPID_BLINK, 6, 25),
    (Modifier::REVERSED, 7, 27),
    (Modifier::HIDDEN, 8, 28),
    (Modifier::CROSSED_OUT, 9, 29),
];

impl Look {
    pub(super) const fn of(cell: &Cell) -> Self {
        Self {
            fg: cell.fg,
            bg: cell.bg,
            modifier: cell.modifier,
        }
    }

    /// What of it shows on a cell without a letter: the ground, unless that is the letters' colour.
    pub(super) fn of_blank(self) -> Self {
        if self.modifier.intersects(ON_BLANKS) {
            return self;
        }
        Self {
            bg: self.bg,
            ..Self::default()
        }
    }

    /// Writes what turns `from` into this.
    pub(super) fn put_on(self, from: Self, out: &mut Vec<u8>) {
        let changes = self.changes(from);
        let mut anew = vec![0];
        anew.extend(self.changes(Self::default()));
        let numbers = if length(&anew) < length(&changes) {
            anew
        } else {
            changes
        };
        out.extend_from_slice(b"\x1b[");
        // A lone 0 may be left out.
        if numbers != [0] {
            let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
            out.extend_from_slice(numbers.join(";").as_bytes());
        }
        out.push(b'm');
    }

    fn changes(self, from: Self) -> Vec<u8> {
        let mut numbers = Vec::new();
        let mut on = from.modifier;
        let gone = on.difference(self.modifier);
        for (modifier, _, off) in MODIFIERS {
            if gone.contains(modifier) && !numbers.contains(&off) {
                numbers.push(off);
            }
        }
        // One number switches both of them off.
        if gone.intersects(BOLD_OR_DIM) {
            on = on.difference(BOLD_OR_DIM);
        }
        for (modifier, number, _) in MODIFIERS {
            if self.modifier.difference(on).contains(modifier) {
                numbers.push(number);
            }
        }
        if self.fg != from.fg {
            colour(self.fg, 30, &mut numbers);
        }
        if self.bg != from.bg {
            colour(self.bg, 40, &mut numbers);
        }
        numbers
    }
}

/// How long the sequence of these numbers is.
fn length(numbers: &[u8]) -> usize {
    let digits = |number: &u8| match number {
        0..10 => 1,
        10..100 => 2,
        100.. => 3,
    };
    match numbers {
        [0] => 0,
        numbers => numbers.iter().map(digits).sum::<usize>() + numbers.len(),
    }
}

/// The numbers of a colour; `first` is that of black. The sixteen go by their own short numbers, which
/// every terminal knows.
fn colour(colour: Color, first: u8, numbers: &mut Vec<u8>) {
    let bright = first + 60;
    match colour {
        Color::Reset => numbers.push(first + 9),
        Color::Black => numbers.push(first),
        Color::Red => numbers.push(first + 1),
        Color::Green => numbers.push(first + 2),
        Color::Yellow => numbers.push(first + 3),
        Color::Blue => numbers.push(first + 4),
        Color::Magenta => numbers.push(first + 5),
        Color::Cyan => numbers.push(first + 6),
        Color::Gray => numbers.push(first + 7),
        Color::DarkGray => numbers.push(bright),
        Color::LightRed => numbers.push(bright + 1),
        Color::LightGreen => numbers.push(bright + 2),
        Color::LightYellow => numbers.push(bright + 3),
        Color::LightBlue => numbers.push(bright + 4),
        Color::LightMagenta => numbers.push(bright + 5),
        Color::LightCyan => numbers.push(bright + 6),
        Color::White => numbers.push(bright + 7),
        Color::Indexed(index) => numbers.extend([first + 8, 5, index]),
        Color::Rgb(red, green, blue) => numbers.extend([first + 8, 2, red, green, blue]),
    }
}
