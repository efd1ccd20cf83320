//! How often something has changed, so that who shows it need not look at all of it to know that it is
//! as it was.

/// A count of changes. It is not part of what it counts: two things that hold the same are equal, however
/// each of them came to it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Changes(u64);

impl Changes {
    pub const fn count(self) -> u64 {
        self.0
    }

    pub(super) const fn another(&mut self) {
        self.0 += 1;
    }
}

impl PartialEq for Changes {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Changes {}
