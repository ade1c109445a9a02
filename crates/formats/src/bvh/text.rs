//! Tokens, numbers and positions of a text. All bytes up to the space are white space, so all line ends are equivalent.

use crate::error::{Error, Place};
use crate::names::clipped;

/// Larger numbers are rejected as errors; squares stay finite.
pub(crate) const LARGEST: f64 = 1e12;

/// Powers of ten that are exact.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// A reading position in a text.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    file: &'a str,
    pub(crate) at: usize,
}

impl<'a> Cursor<'a> {
    /// At the start, after a byte order mark.
    pub(crate) fn new(text: &'a str, file: &'a str, limit: u64) -> Result<Self, Error> {
        Error::check_size(file, text, limit)?;
        Ok(Cursor { text, file, at: if text.starts_with('\u{feff}') { 3 } else { 0 } })
    }

    #[inline(always)]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    #[inline(always)]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    /// Text between two byte offsets.
    pub(crate) fn between(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or("")
    }

    #[inline(always)]
    pub(crate) fn skip_blank(&mut self) {
        while matches!(self.peek(), Some(b) if b <= b' ') {
            self.at += 1;
        }
    }

    /// Skips to the end of the line or its next word; returns whether it is the end.
    #[inline(always)]
    pub(crate) fn skip_to_line_end(&mut self) -> bool {
        loop {
            match self.peek() {
                None | Some(b'\n' | b'\r') => return true,
                Some(b) if b <= b' ' => self.at += 1,
                Some(_) => return false,
            }
        }
    }

    /// The next word, up to one of `stops`; a stop is a word by itself. Empty at the end of the text.
    pub(crate) fn word(&mut self, stops: &[u8]) -> &'a str {
        self.skip_blank();
        let from = self.at;
        while let Some(b) = self.peek() {
            let stop = stops.contains(&b);
            if b <= b' ' || (stop && self.at > from) {
                break;
            }
            self.at += 1;
            if stop {
                break;
            }
        }
        self.between(from, self.at)
    }

    /// The next word, without advancing.
    pub(crate) fn peek_word(&mut self, stops: &[u8]) -> &'a str {
        self.skip_blank();
        let at = self.at;
        let word = self.word(stops);
        self.at = at;
        word
    }

    /// The rest of the line, up to one of `stops`, trimmed.
    pub(crate) fn rest_of_line(&mut self, stops: &[u8]) -> &'a str {
        let from = self.at;
        while matches!(self.peek(), Some(b) if b != b'\n' && b != b'\r' && !stops.contains(&b)) {
            self.at += 1;
        }
        self.between(from, self.at).trim()
    }

    /// The number here, up to white space or one of `stops`: finite and at most [`LARGEST`].
    #[inline]
    pub(crate) fn number(&mut self, stops: &[u8], field: impl FnOnce() -> String) -> Result<f64, Error> {
        self.skip_blank();
        if let Some((x, length)) = quick_number(&self.bytes()[self.at..])
            && x.abs() <= LARGEST
        {
            self.at += length;
            return Ok(x);
        }
        self.slow_number(stops, field)
    }

    /// Cases that `quick_number` does not handle: many digits, large exponents, a number before a stop, errors.
    #[cold]
    fn slow_number(&mut self, stops: &[u8], field: impl FnOnce() -> String) -> Result<f64, Error> {
        self.skip_blank();
        let from = self.at;
        let word = self.word(stops);
        let expected = match word.parse::<f64>() {
            Ok(x) if x.abs() <= LARGEST => return Ok(x),
            Ok(x) if x.is_finite() => "at most 1e12",
            Ok(_) => "a finite number",
            Err(_) if word.is_empty() => {
                return Err(self.field(from, field(), "found end of file, expected a number"));
            }
            Err(_) if word.contains(',') => "a number with a decimal point",
            Err(_) => "a number",
        };
        Err(self.field(from, field(), &format!("found `{}`, expected {expected}", clipped(word))))
    }

    /// Line and column of a byte offset.
    pub(crate) fn place(&self, at: usize) -> Place {
        Place::in_text(self.text, at)
    }

    pub(crate) fn syntax(&self, at: usize, what: impl Into<String>) -> Error {
        Error::syntax(self.file, self.place(at), what)
    }

    pub(crate) fn field(&self, at: usize, field: impl Into<String>, what: &str) -> Error {
        Error::field(self.file, self.place(at), field, what)
    }
}

/// Index of the axis x, y or z.
pub(crate) fn axis_of(letter: u8) -> Option<usize> {
    b"xyz".iter().position(|a| *a == letter.to_ascii_lowercase())
}

/// A number of few digits that ends at white space, and its length. Exact (Clinger): digits and power of ten are both
/// exact, so there is a single rounding.
#[inline(always)]
fn quick_number(bytes: &[u8]) -> Option<(f64, usize)> {
    const MAX_DIGITS: usize = 15; // below 2^53
    let negative = bytes.first() == Some(&b'-');
    let mut at = usize::from(negative || bytes.first() == Some(&b'+'));
    let (mut digits, mut count, mut decimals) = (0u64, 0usize, 0usize);
    while let Some(d) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        (digits, count, at) = (digits.wrapping_mul(10).wrapping_add(u64::from(d)), count + 1, at + 1);
    }
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        while let Some(d) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
            digits = digits.wrapping_mul(10).wrapping_add(u64::from(d));
            (count, decimals, at) = (count + 1, decimals + 1, at + 1);
        }
    }
    if count == 0 || count > MAX_DIGITS || matches!(bytes.get(at), Some(b) if *b > b' ') {
        return None;
    }
    let x = digits as f64 / TENS[decimals];
    Some((if negative { -x } else { x }, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_with_std() {
        for text in [
            ".0083333",
            "-.5",
            "+1.",
            "-0.000000",
            "12.345678901234",
            "1e-3",
            "7.62852e-016",
            "1.0E+02",
            "0",
            "-175.2660",
            "0.00123456789012345",
            "123456789012",
            "0.1234567890123456789",
        ] {
            let mut cursor = Cursor::new(text, "t", 100).unwrap();
            let x = cursor.number(b"", String::new).unwrap();
            assert_eq!(x.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
            assert_eq!(cursor.at, text.len());
        }
        for text in ["nan", "inf", "-Infinity", "1e999", "1e13", "-", ".", "1,5", "0x1", "", "1.#QNAN", "--1"]
        {
            assert!(Cursor::new(text, "t", 100).unwrap().number(b"", String::new).is_err(), "{text}");
        }
    }

    #[test]
    fn positions_with_all_line_ends() {
        let cursor = Cursor::new("a\r\nb\rc\n\u{e4}d", "t", 100).unwrap();
        let place = |at: usize| (cursor.place(at).line, cursor.place(at).column);
        assert_eq!(
            (place(0), place(3), place(5), place(7), place(9)),
            ((1, 1), (2, 1), (3, 1), (4, 1), (4, 2))
        );
    }
}
