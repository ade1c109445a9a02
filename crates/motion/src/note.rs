//! Notes to the person: routine findings, and warnings to act on.
//!
//! Produce routine notes with `"text".into()` or `format!(..).into()` and warnings with [`Note::warning`]. Front ends print the
//! warnings by default and all notes on request; files hold the text of all of them, in order ([`texts`]). A note that
//! explains an assumption carries it ([`Note::assuming`]).

use crate::assumption::Assumption;
use core::borrow::Borrow;
use core::fmt;
use core::ops::Deref;

/// One sentence to the person. Dereferences to its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// one sentence, without a full stop
    pub text: String,
    /// whether the person may want to act on it: a fall, a repaired discontinuity, a missing contact
    pub is_warning: bool,
    /// the assumption that it explains
    pub assumption: Option<Assumption>,
}

impl Note {
    /// A note that the person may want to act on.
    pub fn warning(text: impl Into<String>) -> Note {
        Note { is_warning: true, ..Note::from(text.into()) }
    }

    /// The note with the assumption that it explains.
    #[must_use]
    pub fn assuming(self, assumption: Assumption) -> Note {
        Note { assumption: Some(assumption), ..self }
    }
}

/// The text of each note, for files and for callers that take strings.
pub fn texts(notes: &[Note]) -> Vec<String> {
    notes.iter().map(|n| n.text.clone()).collect()
}

/// The assumptions that some notes explain, each once.
pub fn assumptions(notes: &[Note]) -> Vec<Assumption> {
    let mut all: Vec<Assumption> = notes.iter().filter_map(|n| n.assumption).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl From<String> for Note {
    fn from(text: String) -> Note {
        Note { text, is_warning: false, assumption: None }
    }
}

impl From<&str> for Note {
    fn from(text: &str) -> Note {
        text.to_string().into()
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Borrow<str> for Note {
    fn borrow(&self) -> &str {
        &self.text
    }
}

impl Deref for Note {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}
