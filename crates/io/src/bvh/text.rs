//! Words, numbers and places of a text. Blank is every byte up to the space, so all line ends are alike.

use crate::error::{Error, Place};

/// Numbers beyond this are taken for mistakes: squares stay finite.
pub(crate) const LARGEST: f64 = 1e12;
/// So much of a wrong word is shown.
const SHOWN: usize = 40;

/// Powers of ten that are exact.
const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// A place in a text on the way through it.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    file: &'a str,
    pub(crate) at: usize,
}

impl<'a> Cursor<'a> {
    /// At the beginning, after a byte order mark.
    pub(crate) fn new(text: &'a str, file: &'a str, limit: u64) -> Result<Self, Error> {
        let size = text.len() as u64;
        if size > limit {
            return Err(Error::TooLarge { file: file.into(), size, limit });
        }
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

    /// To the end of the line or its next word, whichever comes first; whether it is the end.
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

    /// The next word, not past one of `stops`; a stop is a word of its own. Empty at the end of the text.
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

    /// The next word without moving.
    pub(crate) fn peek_word(&mut self, stops: &[u8]) -> &'a str {
        self.skip_blank();
        let at = self.at;
        let word = self.word(stops);
        self.at = at;
        word
    }

    /// The rest of the line, not past one of `stops`, without blanks around it.
    pub(crate) fn rest_of_line(&mut self, stops: &[u8]) -> &'a str {
        let from = self.at;
        while matches!(self.peek(), Some(b) if b != b'\n' && b != b'\r' && !stops.contains(&b)) {
            self.at += 1;
        }
        self.between(from, self.at).trim()
    }

    /// The number here, up to a blank or one of `stops`: finite and below [`LARGEST`].
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

    /// Everything the quick way leaves: many digits, large exponents, number at a stop, mistakes.
    #[cold]
    fn slow_number(&mut self, stops: &[u8], field: impl FnOnce() -> String) -> Result<f64, Error> {
        self.skip_blank();
        let from = self.at;
        let word = self.word(stops);
        let why = match word.parse::<f64>() {
            Ok(x) if x.abs() <= LARGEST => return Ok(x),
            Ok(x) if x.is_finite() => "at most 1e12 is taken",
            Ok(_) => "a finite number was expected",
            Err(_) if word.is_empty() => {
                return Err(self.field(from, field(), "the text ends; a number was expected"));
            }
            Err(_) if word.contains(',') => "a number with a decimal point was expected",
            Err(_) => "a number was expected",
        };
        Err(self.field(from, field(), &format!("`{}`; {why}", shown(word))))
    }

    /// Line and column of a byte offset.
    pub(crate) fn place(&self, at: usize) -> Place {
        let before = &self.bytes()[..at.min(self.text.len())];
        let (mut line, mut start) = (1, 0);
        for (i, b) in before.iter().enumerate() {
            if *b == b'\n' || (*b == b'\r' && self.bytes().get(i + 1) != Some(&b'\n')) {
                (line, start) = (line + 1, i + 1);
            }
        }
        let column = 1 + before[start..].iter().filter(|b| (**b & 0xC0) != 0x80).count();
        Place { line, column }
    }

    pub(crate) fn syntax(&self, at: usize, what: impl Into<String>) -> Error {
        Error::Syntax { file: self.file.into(), place: self.place(at), what: what.into() }
    }

    pub(crate) fn field(&self, at: usize, field: impl Into<String>, what: &str) -> Error {
        Error::Field { file: self.file.into(), place: self.place(at), field: field.into(), what: what.into() }
    }
}

/// A number of few digits that ends at a blank, and its length; exact, as Clinger showed: the digits and the power of
/// ten are both exact, so one rounding is left.
#[inline(always)]
fn quick_number(bytes: &[u8]) -> Option<(f64, usize)> {
    const MOST_DIGITS: usize = 15; // below 2^53
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
    if count == 0 || count > MOST_DIGITS || matches!(bytes.get(at), Some(b) if *b > b' ') {
        return None;
    }
    let x = digits as f64 / TENS[decimals];
    Some((if negative { -x } else { x }, at))
}

/// A word as it is shown in a message.
pub(crate) fn shown(word: &str) -> String {
    if word.chars().count() <= SHOWN {
        return word.into();
    }
    format!("{}...", word.chars().take(SHOWN).collect::<String>())
}

/// Name of a file without folder and ending.
pub(crate) fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(name, |(stem, _)| stem).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_std_reads_them() {
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
    fn places_with_all_line_ends() {
        let cursor = Cursor::new("a\r\nb\rc\n\u{e4}d", "t", 100).unwrap();
        let place = |at: usize| (cursor.place(at).line, cursor.place(at).column);
        assert_eq!(
            (place(0), place(3), place(5), place(7), place(9)),
            ((1, 1), (2, 1), (3, 1), (4, 1), (4, 2))
        );
    }

    #[test]
    fn stems() {
        assert_eq!(
            (stem("/a/b.c/16_15.imusim.bvh"), stem("x"), stem(".bvh")),
            ("16_15.imusim".into(), "x".into(), ".bvh".into())
        );
    }
}
