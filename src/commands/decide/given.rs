//! The deferred states that were given: read, told apart, checked.

use countersign::deferred::{self, Format, Imported};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::super::Stop;

/// More than this is no state of a few calls, and would not fit into memory several times over.
const MOST: u64 = 256 * 1024 * 1024;

/// One deferred state.
pub(super) struct Given {
    /// The file as the person named it.
    pub(super) name: String,
    pub(super) imported: Imported,
}

/// Reads all of them, or says what is wrong with each that cannot be taken.
pub(super) fn read(files: &[PathBuf], format: Option<&str>) -> Result<Vec<Given>, Stop> {
    let format = format.map(named).transpose()?;
    let stdin = [PathBuf::from("-")];
    let files = if files.is_empty() { &stdin } else { files };
    if files.iter().filter(|file| is_stdin(file)).count() > 1 {
        return Err(Stop::BadInput(vec![
            "standard input holds one state; name it once".to_owned(),
        ]));
    }
    let mut given: Vec<Given> = Vec::with_capacity(files.len());
    let mut wrong = Vec::new();
    for file in files {
        match one(file, format) {
            Ok(one) => {
                let same = |other: &&Given| other.imported.identity == one.imported.identity;
                if let Some(other) = given.iter().find(same) {
                    let (name, other) = (&one.name, &other.name);
                    wrong.push(format!(
                        "{name}: this is the same state as {other}; give it once"
                    ));
                }
                given.push(one);
            }
            Err(why) => wrong.push(why),
        }
    }
    if wrong.is_empty() {
        Ok(given)
    } else {
        Err(Stop::BadInput(wrong))
    }
}

fn named(name: &str) -> Result<Format, Stop> {
    Format::named(name).ok_or_else(|| {
        let names = Format::ALL.map(Format::name).join(", ");
        Stop::BadInput(vec![format!(
            "--format: there is no form {name:?}; take one of {names}"
        )])
    })
}

fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == "-"
}

fn one(file: &Path, format: Option<Format>) -> Result<Given, String> {
    let name = if is_stdin(file) {
        "standard input".to_owned()
    } else {
        file.display().to_string()
    };
    let text = text(file).map_err(|why| format!("{name}: {why}"))?;
    let imported = deferred::read(&text, format).map_err(|fault| format!("{name}: {fault}"))?;
    Ok(Given { name, imported })
}

fn text(file: &Path) -> Result<String, String> {
    if is_stdin(file) {
        return whole(io::stdin().lock());
    }
    let opened = File::open(file).map_err(|error| error.to_string())?;
    whole(opened)
}

fn whole(from: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = from.take(MOST + 1).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MOST {
        return Err(format!(
            "this is longer than {} MiB; give the calls in several files",
            MOST / 1024 / 1024
        ));
    }
    // Some editors put a byte order mark before the text; it says nothing.
    let bytes = bytes
        .strip_prefix(&[0xef, 0xbb, 0xbf])
        .map(<[u8]>::to_vec)
        .unwrap_or(bytes);
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("byte {at} is not UTF-8; write the state out again as JSON in UTF-8")
    })
}
