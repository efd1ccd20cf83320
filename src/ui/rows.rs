//! Which rows of a long text are on screen.
//!
//! Owns the way from an anchor and a scroll to the first visible row, laying out only what is near
//! it. Knows nothing of what the items are.

/// Row `row` of item `item`, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    pub item: usize,
    pub row: usize,
}

/// The first visible row, and whether the last row of all is visible too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub first: Place,
    pub ends: bool,
}

/// A scroll so long that it is meant to reach the end, whatever the text.
const FAR: usize = 1 << 20;

/// Finds the window of `height` rows that begins at `from` (`None`: that ends at the end), moved by
/// `by` rows. `rows_of` lays one item out.
pub fn window(
    items: usize,
    height: usize,
    from: Option<Place>,
    by: isize,
    mut rows_of: impl FnMut(usize) -> usize,
) -> Window {
    let last = up(
        Place {
            item: items,
            row: 0,
        },
        height,
        &mut rows_of,
    );
    let far = by.unsigned_abs() >= FAR;
    let mut first = match from {
        _ if far && by < 0 => Place::default(),
        Some(place) if !far => settled(place, items, &mut rows_of),
        Some(_) | None => last,
    };
    if !far {
        first = if by < 0 {
            up(first, by.unsigned_abs(), &mut rows_of)
        } else {
            down(first, by.unsigned_abs(), last, &mut rows_of)
        };
    }
    let first = first.min(last);
    Window {
        first,
        ends: first == last,
    }
}

/// The first visible row of a text that grows, the last window of which begins at `end`: where it `stood`
/// as long as no more than `spare` rows are blank below; once the text has outgrown that, so far on that
/// so many are. Not each new row moves all the others.
pub fn stepped(
    end: Place,
    stood: Option<Place>,
    (items, spare): (usize, usize),
    rows_of: &mut impl FnMut(usize) -> usize,
) -> Place {
    let last = Place {
        item: items,
        row: 0,
    };
    match stood {
        Some(stood) if stood < end => down(end, spare, last, rows_of),
        Some(stood) if up(stood, spare, rows_of) <= end => stood,
        Some(_) | None => end,
    }
}

/// The place that many rows above.
pub fn up(from: Place, rows: usize, rows_of: &mut impl FnMut(usize) -> usize) -> Place {
    let mut place = from;
    let mut left = rows;
    while left > place.row {
        left -= place.row;
        let Some(item) = place.item.checked_sub(1) else {
            return Place::default();
        };
        place = Place {
            item,
            row: rows_of(item),
        };
    }
    place.row -= left;
    place
}

fn down(from: Place, rows: usize, last: Place, rows_of: &mut impl FnMut(usize) -> usize) -> Place {
    let mut place = from;
    let mut left = rows;
    while left > 0 && place < last {
        let below = rows_of(place.item).saturating_sub(place.row);
        if left < below {
            place.row += left;
            return place;
        }
        left -= below;
        place = Place {
            item: place.item + 1,
            row: 0,
        };
    }
    place.min(last)
}

/// The nearest place that there is.
fn settled(place: Place, items: usize, rows_of: &mut impl FnMut(usize) -> usize) -> Place {
    if place.item >= items {
        return Place {
            item: items,
            row: 0,
        };
    }
    let row = place.row.min(rows_of(place.item).saturating_sub(1));
    Place { row, ..place }
}

/// The top of a window over `total` rows, moved no further than needed to show row `shown`.
pub fn keep_visible(top: usize, height: usize, total: usize, shown: Option<usize>) -> usize {
    let mut top = top.min(total.saturating_sub(height));
    if let Some(row) = shown {
        top = top.min(row);
        if height > 0 && row >= top + height {
            top = row + 1 - height;
        }
    }
    top
}
