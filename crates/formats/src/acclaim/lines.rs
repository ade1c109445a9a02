//! Lines of words with their positions; `#` starts a comment, commas and parentheses are white space.

use crate::Error;
use crate::bvh::text::Cursor;
use crate::names::clipped;

/// A text by lines.
pub(super) struct Lines<'a> {
    cursor: Cursor<'a>,
    words: Vec<(&'a str, usize)>,
    is_kept: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str, file: &'a str) -> Result<Self, Error> {
        Ok(Lines { cursor: Cursor::new(text, file, super::MAX_BYTES)?, words: Vec::new(), is_kept: false })
    }

    /// Advances to the next line with words; false at the end.
    pub(super) fn next(&mut self) -> bool {
        if std::mem::take(&mut self.is_kept) {
            return true;
        }
        self.words.clear();
        while self.words.is_empty() {
            self.cursor.skip_blank();
            if self.cursor.peek().is_none() {
                return false;
            }
            let line = self.cursor.rest_of_line(b"#");
            if self.cursor.peek() == Some(b'#') {
                self.cursor.rest_of_line(b"");
            }
            let blank = |c: char| c <= ' ' || matches!(c, ',' | '(' | ')');
            let start = self.cursor.bytes().as_ptr() as usize;
            let place = |word: &str| word.as_ptr() as usize - start;
            self.words.extend(line.split(blank).filter(|w| !w.is_empty()).map(|w| (w, place(w))));
        }
        true
    }

    /// Makes [`Lines::next`] return this line again.
    pub(super) fn keep(&mut self) {
        self.is_kept = true;
    }

    /// Number of words in this line.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// A word; empty if there is none.
    pub(super) fn word(&self, n: usize) -> &'a str {
        self.words.get(n).map_or("", |w| w.0)
    }

    pub(super) fn is(&self, n: usize, word: &str) -> bool {
        self.word(n).eq_ignore_ascii_case(word)
    }

    /// A word as a number.
    pub(super) fn number(&self, n: usize, field: &str) -> Result<f64, Error> {
        let word = self.word(n);
        let x = word.parse::<f64>().ok().filter(|x| x.abs() <= crate::bvh::text::LARGEST);
        x.ok_or_else(|| {
            let found = if word.is_empty() { "end of line".into() } else { format!("`{}`", clipped(word)) };
            self.wrong(n, field, &format!("found {found}, expected a finite number"))
        })
    }

    /// Three words as numbers.
    pub(super) fn three(&self, n: usize, field: &str) -> Result<[f64; 3], Error> {
        Ok([self.number(n, field)?, self.number(n + 1, field)?, self.number(n + 2, field)?])
    }

    /// An error at a word.
    pub(super) fn wrong(&self, n: usize, field: &str, what: &str) -> Error {
        let end = || self.words.last().map_or(self.cursor.at, |w| w.1 + w.0.len());
        self.cursor.field(self.words.get(n).map_or_else(end, |w| w.1), field, what)
    }

    /// An error about an unexpected word.
    pub(super) fn unexpected(&self, n: usize, field: &str, found: &str, expected: &str) -> Error {
        self.wrong(n, field, &format!("found `{}`, expected {expected}", clipped(found)))
    }

    /// An error at the end of the text.
    pub(super) fn ends(&self, what: &str) -> Error {
        self.cursor.syntax(self.cursor.at, format!("found end of file, expected {what}"))
    }

    /// Line number of a word.
    pub(super) fn line(&self) -> usize {
        self.cursor.place(self.words.first().map_or(self.cursor.at, |w| w.1)).line
    }

    /// Bytes of the text.
    pub(super) fn size(&self) -> usize {
        self.cursor.bytes().len()
    }
}
