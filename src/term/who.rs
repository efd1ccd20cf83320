//! Who sits at the terminal, for the record.
//!
//! Owns where that is read: the system's account of this process first, since an environment variable
//! can say anything. Proves nothing: it is what this machine says.

use std::env;
use std::fmt;
use std::fs;
use std::net::IpAddr;
use std::process::{Command, Stdio};

use crate::core::shown::Shown;

/// The operator: account, machine, and where they came from if that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Who {
    pub user: Shown,
    pub host: Shown,
    /// The address that the SSH connection was made from.
    pub client: Option<IpAddr>,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.user, self.host)?;
        match self.client {
            Some(client) => write!(f, " from {client}"),
            None => Ok(()),
        }
    }
}

/// Who runs this process.
pub fn who() -> Who {
    let id = rustix::process::getuid().as_raw();
    let accounts = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let user = account(&accounts, id)
        .or_else(directory_account)
        .unwrap_or_else(|| format!("uid {id}"));
    Who {
        user: Shown::label(&user),
        host: Shown::label(&rustix::system::uname().nodename().to_string_lossy()),
        client: env::var("SSH_CONNECTION")
            .ok()
            .and_then(|connection| client(&connection)),
    }
}

/// The name of an account in the text of `/etc/passwd`.
pub fn account(accounts: &str, id: u32) -> Option<String> {
    accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty())?;
        let uid = fields.nth(1)?.parse::<u32>().ok()?;
        (uid == id).then(|| name.to_owned())
    })
}

/// Accounts of a directory service are in no file; the system's own program finds them.
fn directory_account() -> Option<String> {
    let said = Command::new("id")
        .arg("-un")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let name = String::from_utf8(said.stdout).ok()?;
    let name = name.trim_end_matches('\n');
    (!name.is_empty()).then(|| name.to_owned())
}

/// The first field of `SSH_CONNECTION`; `None` unless it is an address.
pub fn client(connection: &str) -> Option<IpAddr> {
    let first = connection.split_ascii_whitespace().next()?;
    // A link-local address names its interface, which means nothing elsewhere.
    let address = first.split('%').next().unwrap_or(first);
    address.parse().ok()
}
