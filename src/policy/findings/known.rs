//! Hosts that everybody knows, and names that pose as one of them in plain letters: `rnicrosoft.com`, `g00gle.com`,
//! `github.com.evil.example`.
//!
//! Owns a short list of such hosts. A name is never held against it for being near one of them in another way.

/// What is often posed as, by the name that is registered.
const KNOWN: &[&str] = &[
    "github.com",
    "github.io",
    "githubusercontent.com",
    "gitlab.com",
    "bitbucket.org",
    "google.com",
    "googleapis.com",
    "gmail.com",
    "youtube.com",
    "microsoft.com",
    "microsoftonline.com",
    "office.com",
    "outlook.com",
    "live.com",
    "azure.com",
    "apple.com",
    "icloud.com",
    "amazon.com",
    "amazonaws.com",
    "paypal.com",
    "stripe.com",
    "facebook.com",
    "instagram.com",
    "whatsapp.com",
    "linkedin.com",
    "twitter.com",
    "netflix.com",
    "dropbox.com",
    "slack.com",
    "zoom.us",
    "atlassian.com",
    "atlassian.net",
    "cloudflare.com",
    "docker.com",
    "docker.io",
    "npmjs.com",
    "npmjs.org",
    "pypi.org",
    "pythonhosted.org",
    "python.org",
    "crates.io",
    "rust-lang.org",
    "rubygems.org",
    "golang.org",
    "debian.org",
    "ubuntu.com",
    "kernel.org",
    "mozilla.org",
    "wikipedia.org",
    "stackoverflow.com",
    "huggingface.co",
    "mistral.ai",
    "openai.com",
    "anthropic.com",
];

/// The known host that this one is not, but reads like or begins with.
pub(super) fn posed(host: &str) -> Option<&'static str> {
    if !host.is_ascii() {
        return None;
    }
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let mut known = KNOWN.iter().copied();
    known.find(|known| reads_as(&host, known) || begins_as(&host, known))
}

/// Its last labels, as many as the known host has, are other letters that look the same.
fn reads_as(host: &str, known: &str) -> bool {
    let labels = known.split('.').count();
    let start = host.rmatch_indices('.').nth(labels - 1);
    let tail = start.map_or(host, |(at, _)| &host[at + 1..]);
    tail != known && folded(tail) == folded(known)
}

/// The known host stands in it as whole labels, and another one follows: that is where it leads.
fn begins_as(host: &str, known: &str) -> bool {
    host.match_indices(known).any(|(at, _)| {
        let (before, after) = (&host[..at], &host[at + known.len()..]);
        let whole = before.is_empty() || before.ends_with('.');
        let leads = match after.strip_prefix('.') {
            // The same company's host of a country.
            Some(land) => !(land.len() == 2 && land.bytes().all(|b| b.is_ascii_alphabetic())),
            None => after.starts_with('-') && after.contains('.'),
        };
        whole && leads
    })
}

/// What the eye makes of it at a glance.
fn folded(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| match c {
            '0' => 'o',
            '1' | 'i' => 'l',
            c => c,
        })
        .collect();
    plain.replace("rn", "m").replace("vv", "w")
}
