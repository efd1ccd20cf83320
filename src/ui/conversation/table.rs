//! Markdown tables: in columns where they fit, else row by row with the headings repeated.

use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;

/// The cells of one table; the first row holds the headings.
#[derive(Debug, Default)]
pub struct Table {
    lines: Vec<Vec<Row>>,
}

impl Table {
    pub fn begin_row(&mut self) {
        self.lines.push(Vec::new());
    }

    pub fn cell(&mut self, cell: Row) {
        if let Some(line) = self.lines.last_mut() {
            line.push(cell);
        }
    }

    pub fn rows(self, width: usize, theme: &Theme) -> Vec<Row> {
        let columns = self.lines.iter().map(Vec::len).max().unwrap_or(0);
        let mut widths = vec![0; columns];
        for (at, cell) in self.lines.iter().flat_map(|line| line.iter().enumerate()) {
            widths[at] = cell.width().max(widths[at]);
        }
        let total = widths.iter().sum::<usize>() + 3 * columns.saturating_sub(1);
        if total <= width {
            self.columns(&widths, theme)
        } else {
            self.records(width, theme)
        }
    }

    fn columns(self, widths: &[usize], theme: &Theme) -> Vec<Row> {
        let mut rows = Vec::new();
        for (number, line) in self.lines.into_iter().enumerate() {
            let mut row = Row::new();
            for (at, cell) in line.into_iter().enumerate() {
                if at > 0 {
                    row.push(" │ ", theme.dim);
                }
                let cell = if number == 0 {
                    cell.styled(theme.strong)
                } else {
                    cell
                };
                row.append(cell.padded(widths[at]));
            }
            rows.push(row);
            if number == 0 {
                rows.push(rule(widths, theme));
            }
        }
        rows
    }

    fn records(self, width: usize, theme: &Theme) -> Vec<Row> {
        let mut lines = self.lines.into_iter();
        let headings = lines.next().unwrap_or_default();
        let mut rows = Vec::new();
        for line in lines {
            for (at, cell) in line.into_iter().enumerate() {
                let heading = headings
                    .get(at)
                    .cloned()
                    .unwrap_or_default()
                    .styled(theme.strong);
                let edge = if at == 0 { "• " } else { "  " };
                let row = heading.with(": ", theme.dim).then(cell);
                for (part_at, part) in row
                    .wrapped(width.saturating_sub(2), Breaks::Words)
                    .into_iter()
                    .enumerate()
                {
                    let edge = if part_at == 0 { edge } else { "  " };
                    rows.push(Row::new().with(edge, theme.dim).then(part));
                }
            }
        }
        rows
    }
}

fn rule(widths: &[usize], theme: &Theme) -> Row {
    let mut row = Row::new();
    for (at, width) in widths.iter().enumerate() {
        if at > 0 {
            row.push("─┼─", theme.dim);
        }
        for _ in 0..*width {
            row.push("─", theme.dim);
        }
    }
    row
}
