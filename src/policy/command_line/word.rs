//! One word of a command line: its quoting taken off, and what a shell would put in its place.
//!
//! Stricter than a shell: a word that `sh` and `bash` read differently counts as not understood.

/// The characters a program is given for `written`, or why that cannot be told.
pub(super) fn unquote(written: &str) -> Result<String, String> {
    let mut plain = String::with_capacity(written.len());
    let mut bare = String::new();
    let mut characters = written.chars();
    while let Some(c) = characters.next() {
        match c {
            '\'' => single(&mut characters, &mut plain)?,
            '"' => double(&mut characters, &mut plain)?,
            '\\' => match characters.next() {
                Some('\n') => {}
                Some(escaped) => plain.push(escaped),
                None => return Err("it ends in a backslash".to_owned()),
            },
            '$' | '`' => return Err(replaced(written)),
            _ => {
                plain.push(c);
                bare.push(c);
            }
        }
    }
    unexpanded(written, &bare)?;
    Ok(plain)
}

fn single(rest: &mut impl Iterator<Item = char>, plain: &mut String) -> Result<(), String> {
    for c in rest {
        if c == '\'' {
            return Ok(());
        }
        plain.push(c);
    }
    Err("a quotation mark is not closed".to_owned())
}

fn double(rest: &mut impl Iterator<Item = char>, plain: &mut String) -> Result<(), String> {
    while let Some(c) = rest.next() {
        match c {
            '"' => return Ok(()),
            '$' | '`' => return Err(replaced("a text in quotation marks")),
            '\\' => match rest.next() {
                Some(escaped @ ('"' | '\\' | '$' | '`')) => plain.push(escaped),
                Some('\n') => {}
                Some(other) => plain.extend(['\\', other]),
                None => break,
            },
            _ => plain.push(c),
        }
    }
    Err("a quotation mark is not closed".to_owned())
}

/// `bare` is what stands outside quotes: patterns, braces and tildes in it are expanded.
fn unexpanded(written: &str, bare: &str) -> Result<(), String> {
    let class = bare.find('[').is_some_and(|at| bare[at..].contains(']'));
    if bare.contains(['*', '?']) || class {
        return Err(format!(
            "which files {} names is seen only when it runs",
            short(written)
        ));
    }
    let braces = bare.contains('{') && bare.contains('}');
    if braces && (bare.contains(',') || bare.contains("..")) {
        return Err(format!("{} stands for several words", short(written)));
    }
    if bare.starts_with('~')
        && written.starts_with('~')
        && written != "~"
        && !written.starts_with("~/")
    {
        return Err(replaced(written));
    }
    Ok(())
}

fn replaced(written: &str) -> String {
    format!(
        "what {} stands for is seen only when it runs",
        short(written)
    )
}

/// Enough of a word to find it again; the text is shown in full elsewhere.
fn short(written: &str) -> String {
    const MOST: usize = 40;
    let mut text: String = written.chars().take(MOST).collect();
    if text.len() < written.len() {
        text.push('…');
    }
    text
}
