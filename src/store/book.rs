//! The rules that operators gave and nobody took back: those of the journal and those of `grants.toml`.
//!
//! Owns the giving, the taking back and the reading. Each judging reads them anew, so that what any
//! process gave or took back counts in every process from its next call on. Weighs nothing: that is
//! `policy::grant`.

use jiff::Timestamp;
use std::collections::HashSet;

use super::reading::Form;
use super::step::{Revoked, Step};
use super::{Journal, Reader, StoreError, standing, told};
use crate::core::decision::How;
use crate::policy::grant::{Given, Grant, Lasts};

impl Journal {
    /// The given rules, read and compiled. `Err` says why they cannot be: then nothing may count.
    pub async fn given(&self) -> Result<Vec<Given>, String> {
        let journal = self.clone();
        let read = move || {
            let reader = Reader::open(journal.folder()).map_err(|error| error.to_string())?;
            let grants = reader.for_journal(&journal).grants(Form::Real)?;
            let read = |grant: Grant| {
                let id = grant.id.clone();
                Given::read(grant).map_err(|mistakes| {
                    let first = mistakes.first().map(ToString::to_string);
                    format!("rule {id}: {}", first.unwrap_or_default())
                })
            };
            grants.into_iter().map(read).collect()
        };
        let read = tokio::task::spawn_blocking(read).await;
        read.unwrap_or_else(|error| Err(error.to_string()))
    }

    /// Gives a rule. It counts once this has returned, and not before it is recorded.
    pub async fn give(&self, grant: Grant) -> Result<(), StoreError> {
        let always = grant.lasts == Lasts::Always;
        if always && self.veil().text(&grant.text) != grant.text {
            return Err(StoreError::InClear);
        }
        // Redaction does not look behind the backslashes of a pattern.
        let bare = grant.text.replace('\\', "");
        if self.veil().text(&bare) != bare && self.veil().text(&grant.text) == grant.text {
            return Err(StoreError::Unredactable);
        }
        let step = Step::Granted(Box::new(grant.clone()));
        self.append(&grant.session, step).await?;
        told::tell(self.folder());
        if !always {
            return Ok(());
        }
        let (folder, standing) = (self.folder().to_owned(), grant.clone());
        let added = blocking(move || standing::add(&folder, standing)).await;
        if added.is_err() {
            // So that the record says that it does not count.
            let (who, at) = (grant.who.clone(), grant.at);
            let step = Step::Revoked(Box::new(Revoked {
                grant: grant.clone(),
                who,
                at,
                how: How::Key,
            }));
            self.append(&grant.session, step).await?;
        }
        added
    }

    /// Takes a rule back. What is recorded counts, whatever becomes of the file.
    pub async fn revoke(
        &self,
        grant: Grant,
        who: String,
        at: Timestamp,
        how: How,
    ) -> Result<(), StoreError> {
        let (session, id) = (grant.session.clone(), grant.id.clone());
        let revoked = Revoked {
            grant,
            who,
            at,
            how,
        };
        self.append(&session, Step::Revoked(Box::new(revoked)))
            .await?;
        told::tell(self.folder());
        let folder = self.folder().to_owned();
        blocking(move || standing::remove(&folder, &id)).await
    }
}

async fn blocking(
    work: impl FnOnce() -> Result<(), StoreError> + Send + 'static,
) -> Result<(), StoreError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or(Err(StoreError::Closed))
}

impl Reader {
    /// The rules that were given and not taken back, oldest first; expired ones are among them.
    pub fn grants(&self, form: Form) -> Result<Vec<Grant>, String> {
        let steps = self.giving(form).map_err(|error| error.to_string())?;
        let mut revoked = HashSet::new();
        for step in &steps {
            if let Step::Revoked(step) = step {
                revoked.insert(step.grant.id.clone());
            }
        }
        let given = steps.into_iter().filter_map(|step| match step {
            // Of these the file is what counts: it can be edited.
            Step::Granted(grant) if grant.lasts != Lasts::Always => Some(*grant),
            _ => None,
        });
        let mut grants: Vec<Grant> = given.collect();
        grants.extend(standing::read(self.folder()).map_err(|mistakes| {
            let first = mistakes.first().map(ToString::to_string);
            first.unwrap_or_default()
        })?);
        grants.retain(|grant| !revoked.contains(&grant.id));
        Ok(grants)
    }
}
