//! The model's Markdown as rows.
//!
//! Owns how each block looks. Parses with pulldown-cmark first and makes the text visible after, so
//! that no entity and no escape can bring anything unusual past `Shown`. A link always shows where
//! it leads.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};

use super::table::Table;
use crate::core::shown::Shown;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;

pub fn rows(text: &str, width: usize, theme: &Theme) -> Vec<Row> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Writer {
        theme,
        width: width.max(1),
        out: Vec::new(),
        line: Row::new(),
        styles: vec![theme.text],
        levels: Vec::new(),
        counters: Vec::new(),
        links: Vec::new(),
        code: None,
        table: None,
    };
    for event in Parser::new_ext(text, options) {
        writer.event(event);
    }
    writer.flush();
    writer.out
}

/// One step of indentation: what stands before its first row and before the others.
struct Level {
    first: Row,
    rest: Row,
    fresh: bool,
}

/// A link that is being read.
struct Link {
    url: String,
    /// Its text so far, to see whether that is the address itself.
    text: String,
}

struct Writer<'t> {
    theme: &'t Theme,
    width: usize,
    out: Vec<Row>,
    line: Row,
    styles: Vec<Style>,
    levels: Vec<Level>,
    /// The next number of each open list, outermost first; `None` for bullets.
    counters: Vec<Option<u64>>,
    links: Vec<Link>,
    code: Option<String>,
    table: Option<Table>,
}

impl Writer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.heard(&text);
                let look = self.style().patch(self.theme.code);
                self.line.push(&Shown::prose(&text), look);
            }
            Event::Html(html) => {
                for part in html.lines() {
                    self.line.push(&Shown::prose(part), self.theme.dim);
                    self.flush();
                }
            }
            Event::InlineHtml(html) => self.line.push(&Shown::prose(&html), self.theme.dim),
            Event::SoftBreak | Event::HardBreak if self.table.is_none() => self.flush(),
            Event::SoftBreak | Event::HardBreak => self.line.push(" ", self.theme.text),
            Event::Rule => {
                self.gap();
                self.line.push("────────────────────", self.theme.dim);
                self.flush();
            }
            Event::TaskListMarker(done) => {
                self.line
                    .push(if done { "[x] " } else { "[ ] " }, self.theme.accent);
            }
            Event::FootnoteReference(name) => self.line.push(&Shown::prose(&name), self.theme.dim),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.gap(),
            Tag::Heading { .. } => {
                self.gap();
                self.styles.push(self.theme.heading);
            }
            Tag::BlockQuote(_) => {
                self.gap();
                let bar = Row::new().with("│ ", self.theme.dim);
                self.level(bar.clone(), bar);
            }
            Tag::CodeBlock(kind) => self.code_begins(&kind),
            Tag::List(first) => {
                self.flush();
                if self.counters.is_empty() {
                    self.gap();
                }
                self.counters.push(first);
            }
            Tag::Item => self.item(),
            Tag::Emphasis => self.look(Style::new().add_modifier(Modifier::ITALIC)),
            Tag::Strong => self.look(Style::new().add_modifier(Modifier::BOLD)),
            Tag::Strikethrough => self.look(Style::new().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, .. } => self.link(&dest_url),
            Tag::Image { dest_url, .. } => {
                self.line.push("image ", self.theme.dim);
                self.link(&dest_url);
            }
            Tag::Table(_) => {
                self.gap();
                self.table = Some(Table::default());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.begin_row();
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) | TagEnd::Item => {
                self.flush();
                self.levels.pop();
            }
            TagEnd::CodeBlock => self.code_ends(),
            TagEnd::List(_) => {
                self.counters.pop();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.link_ends(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                if let Some(table) = &mut self.table {
                    table.cell(cell);
                }
            }
            TagEnd::Table => {
                let room = self.room();
                for row in self
                    .table
                    .take()
                    .map(|table| table.rows(room, self.theme))
                    .unwrap_or_default()
                {
                    self.row(row);
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(code) = &mut self.code {
            code.push_str(text);
            return;
        }
        self.heard(text);
        let look = self.style();
        self.line.push(&Shown::prose(text), look);
    }

    fn heard(&mut self, text: &str) {
        if let Some(link) = self.links.last_mut() {
            link.text.push_str(text);
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn look(&mut self, patch: Style) {
        self.styles.push(self.style().patch(patch));
    }

    fn link(&mut self, url: &str) {
        self.links.push(Link {
            url: url.to_owned(),
            text: String::new(),
        });
        self.look(self.theme.accent.add_modifier(Modifier::UNDERLINED));
    }

    fn link_ends(&mut self) {
        self.styles.pop();
        if let Some(link) = self.links.pop().filter(|link| link.text != link.url) {
            self.line.push(" <", self.theme.dim);
            self.line.push(&Shown::label(&link.url), self.theme.dim);
            self.line.push(">", self.theme.dim);
        }
    }

    fn item(&mut self) {
        self.flush();
        let mark = match self.counters.last_mut() {
            Some(Some(number)) => {
                let this = usize::try_from(*number).unwrap_or(usize::MAX);
                *number = number.saturating_add(1);
                Row::new()
                    .with(this, self.theme.dim)
                    .with(". ", self.theme.dim)
            }
            Some(None) | None => Row::new().with("• ", self.theme.accent),
        };
        let rest = Row::new().padded(mark.width());
        self.level(mark, rest);
    }

    fn level(&mut self, first: Row, rest: Row) {
        self.levels.push(Level {
            first,
            rest,
            fresh: true,
        });
    }

    fn code_begins(&mut self, kind: &CodeBlockKind<'_>) {
        self.flush();
        self.gap();
        if let CodeBlockKind::Fenced(language) = kind
            && !language.is_empty()
        {
            self.line.push("  ", self.theme.dim);
            self.line.push(&Shown::label(language), self.theme.dim);
            self.flush();
        }
        self.code = Some(String::new());
    }

    fn code_ends(&mut self) {
        let code = self.code.take().unwrap_or_default();
        let shown = Shown::laid_out(code.strip_suffix('\n').unwrap_or(&code));
        let room = self.room().saturating_sub(2);
        for row in Row::split(&shown, self.theme.code) {
            for (at, part) in row.wrapped(room, Breaks::Anywhere).into_iter().enumerate() {
                let edge = if at == 0 { "  " } else { "┆ " };
                self.row(Row::new().with(edge, self.theme.dim).then(part));
            }
        }
    }

    /// A blank row between two blocks; none inside of a list.
    fn gap(&mut self) {
        self.flush();
        let begins = self.levels.last().is_some_and(|level| level.fresh);
        if !self.out.is_empty() && self.counters.is_empty() && !begins {
            let prefix = self.prefix_rest();
            self.out.push(prefix);
        }
    }

    /// Ends the row that is being written, wrapped where it must be.
    fn flush(&mut self) {
        if self.line.is_empty() {
            return;
        }
        let line = std::mem::take(&mut self.line);
        for part in line.wrapped(self.room(), Breaks::Words) {
            self.row(part);
        }
    }

    fn row(&mut self, row: Row) {
        let from = self.first_level();
        let mut prefix = Row::new();
        for level in &mut self.levels[from..] {
            let fresh = std::mem::take(&mut level.fresh);
            prefix.append(if fresh {
                level.first.clone()
            } else {
                level.rest.clone()
            });
        }
        self.out.push(prefix.then(row));
    }

    fn prefix_rest(&self) -> Row {
        let levels = &self.levels[self.first_level()..];
        levels
            .iter()
            .fold(Row::new(), |row, level| row.then(level.rest.clone()))
    }

    /// The first level that is drawn: the outermost of very deep ones give way to the text.
    fn first_level(&self) -> usize {
        let mut taken = 0;
        for (at, level) in self.levels.iter().enumerate().rev() {
            taken += level.rest.width();
            if taken > self.width / 2 {
                return at + 1;
            }
        }
        0
    }

    fn room(&self) -> usize {
        self.width.saturating_sub(self.prefix_rest().width()).max(1)
    }
}
