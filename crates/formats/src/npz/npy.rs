//! NumPy arrays: format versions 1 to 3, numbers and strings, any byte order, C or Fortran order.
//!
//! Source: NumPy's `numpy.lib.format`. Rejected: objects (pickled code) and records.

use crate::error::Error;
use crate::names::clipped;
use anthropi_dynamics::spatial::{Vec3, vec3};
use std::borrow::Cow;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Longest header: a few lines in practice.
const MAX_HEADER: usize = 1 << 16;
/// Longest string element, characters.
const MAX_TEXT: usize = 1 << 10;

/// Element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Float,
    Signed,
    Unsigned,
    Bytes,
    Unicode,
}

/// An array as raw bytes.
#[derive(Clone, Debug)]
pub(super) struct Array<'a> {
    file: &'a str,
    name: String,
    pub shape: Vec<usize>,
    is_fortran: bool,
    kind: Kind,
    /// bytes per element
    size: usize,
    is_big_endian: bool,
    bytes: Cow<'a, [u8]>,
    /// offset of the first element
    start: usize,
}

impl<'a> Array<'a> {
    /// Checks header and size. Byte offsets in messages refer to the array, not to the archive.
    pub fn read(bytes: Cow<'a, [u8]>, file: &'a str, name: &str) -> Result<Array<'a>, Error> {
        let wrong = |at: usize, what: String| Error::binary(file, at, format!("{name}.npy"), what);
        if !bytes.starts_with(MAGIC) {
            return Err(wrong(0, "not a NumPy array".into()));
        }
        let at = |k: usize| {
            bytes.get(k).map(|b| usize::from(*b)).ok_or_else(|| wrong(k, "the array is truncated".into()))
        };
        let version = at(6)?;
        let (first, length) = match version {
            1 => (10, at(8)? | at(9)? << 8),
            2 | 3 => (12, at(8)? | at(9)? << 8 | at(10)? << 16 | at(11)? << 24),
            _ => return Err(wrong(6, format!("format version {version}, expected 1 to 3"))),
        };
        let start = first + length;
        let header = bytes.get(first..start).filter(|_| length <= MAX_HEADER);
        let header =
            header.ok_or_else(|| wrong(first, format!("the header of {length} bytes is too long")))?;
        let header = String::from_utf8_lossy(header);
        let (descr, is_fortran, shape) = parse(&header).map_err(|what| wrong(first, what))?;
        let (kind, size, is_big_endian) = element(&descr).map_err(|what| wrong(first, what))?;

        let count = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
        let held = bytes.len() - start;
        if count.and_then(|n| n.checked_mul(size)) != Some(held) {
            let what =
                format!("{held} bytes of data do not match shape {shape:?} with elements of {size} bytes");
            return Err(wrong(start, what));
        }
        Ok(Array { file, name: name.to_string(), shape, is_fortran, kind, size, is_big_endian, bytes, start })
    }

    pub fn error(&self, what: impl Into<String>) -> Error {
        self.error_at(self.start, what)
    }

    fn error_at(&self, at: usize, what: impl Into<String>) -> Error {
        Error::binary(self.file, at, format!("{}.npy", self.name), what)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    fn element(&self, k: usize) -> Option<&[u8]> {
        let at = self.start + k.checked_mul(self.size)?;
        self.bytes.get(at..at + self.size)
    }

    /// An element in file order; `None` if it is not a number.
    pub fn number(&self, k: usize) -> Option<f64> {
        let mut b = [0u8; 8];
        let n = self.size.min(8);
        b[..n].copy_from_slice(&self.element(k)?[..n]);
        if self.is_big_endian {
            b[..n].reverse();
        }
        let bits = u64::from_le_bytes(b);
        let unused = 64 - 8 * n as u32;
        match (self.kind, n) {
            (Kind::Float, 4) => Some(f64::from(f32::from_bits(bits as u32))),
            (Kind::Float, 8) => Some(f64::from_bits(bits)),
            (Kind::Signed, _) => Some((((bits << unused) as i64) >> unused) as f64),
            (Kind::Unsigned, _) => Some(bits as f64),
            _ => None,
        }
    }

    /// Three consecutive numbers of a row, of magnitude up to `most`. The array has two dimensions.
    pub fn vector(&self, row: usize, column: usize, most: f64) -> Result<Vec3, Error> {
        let [rows, columns] = self.shape[..] else { return Err(self.error("expected two dimensions")) };
        let mut v = [0.0; 3];
        for (j, x) in v.iter_mut().enumerate() {
            let k = if self.is_fortran { (column + j) * rows + row } else { row * columns + column + j };
            *x = match self.number(k) {
                Some(x) if x.abs() <= most => x,
                Some(x) => {
                    let what = format!("{x} in row {row}, column {}, expected at most {most}", column + j);
                    return Err(self.error_at(self.start + k * self.size, what));
                }
                None => return Err(self.error("expected numbers")),
            };
        }
        Ok(vec3(v[0], v[1], v[2]))
    }

    /// The single element as a string.
    pub fn text(&self) -> Option<String> {
        let b = self.element(0).filter(|_| self.len() == 1)?;
        let text: String = match self.kind {
            Kind::Bytes => String::from_utf8_lossy(b).into_owned(),
            Kind::Unicode => b.chunks_exact(4).map(|c| self.character([c[0], c[1], c[2], c[3]])).collect(),
            _ => return None,
        };
        Some(text.trim_end_matches('\0').to_string())
    }

    fn character(&self, b: [u8; 4]) -> char {
        let code = if self.is_big_endian { u32::from_be_bytes(b) } else { u32::from_le_bytes(b) };
        char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}

/// Type, size and byte order of elements from their description, e.g. `<f8`.
fn element(descr: &str) -> Result<(Kind, usize, bool), String> {
    let expected = "numbers (f4, f8, i and u of 1 to 8 bytes) or strings";
    let refused = || format!("elements `{}`, expected {expected}", clipped(descr));
    let order = descr.chars().next().filter(|c| "<>|=".contains(*c));
    let rest = descr.trim_start_matches(['<', '>', '|', '=']);
    let mut letters = rest.chars();
    let kind = letters.next().ok_or_else(refused)?;
    let count: usize = letters.as_str().parse().map_err(|_| refused())?;
    let (kind, size) = match (kind, count) {
        ('f', 4 | 8) => (Kind::Float, count),
        ('i', 1 | 2 | 4 | 8) => (Kind::Signed, count),
        ('u', 1 | 2 | 4 | 8) | ('b', 1) => (Kind::Unsigned, count),
        ('S', 0..=MAX_TEXT) => (Kind::Bytes, count),
        ('U', 0..=MAX_TEXT) => (Kind::Unicode, 4 * count),
        _ => return Err(refused()),
    };
    Ok((kind, size, order == Some('>')))
}

/// The Python dictionary of a header: `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
fn parse(header: &str) -> Result<(String, bool, Vec<usize>), String> {
    let value = |key: &str| {
        let after =
            [format!("'{key}'"), format!("\"{key}\"")].iter().find_map(|k| header.split_once(k.as_str()))?.1;
        after.trim_start().strip_prefix(':').map(str::trim_start)
    };
    let need = |key: &str| value(key).ok_or_else(|| format!("`{key}` is missing in the header"));
    let descr = need("descr")?;
    let quote = descr.chars().next().filter(|c| ['\'', '"'].contains(c));
    let descr = quote.and_then(|q| descr[1..].split_once(q)).map(|(d, _)| d.to_string());
    let descr = descr.ok_or("records are not supported")?;
    let order = need("fortran_order")?;
    let is_fortran = match (order.starts_with("True"), order.starts_with("False")) {
        (true, _) => true,
        (_, true) => false,
        _ => return Err("`fortran_order` is neither True nor False".into()),
    };
    let shape = need("shape")?.strip_prefix('(').and_then(|s| s.split_once(')')).map(|(s, _)| s);
    let shape = shape.ok_or("`shape` is not a tuple")?;
    let sizes: Result<Vec<usize>, _> = shape
        .split(',')
        .map(|n| n.trim().trim_end_matches('L'))
        .filter(|n| !n.is_empty())
        .map(str::parse)
        .collect();
    let sizes = sizes.map_err(|_| format!("`shape` ({}) is not a tuple of counts", clipped(shape)))?;
    Ok((descr, is_fortran, sizes))
}
