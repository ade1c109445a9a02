//! As much of ZIP as NumPy writes: members stored or deflated, found through the central directory.
//!
//! Source: PKWARE's APPNOTE 6.3. Refused: encryption, other methods, sizes beyond 32 bits, several disks.
//! Only members asked for are inflated, each up to [`MAX_MEMBER`] bytes and never beyond the size it states.

use crate::error::Error;
use std::borrow::Cow;

/// Largest member inflated: half an hour of poses in doubles.
const MAX_MEMBER: usize = 256 << 20;
/// Most members of an archive.
const MAX_MEMBERS: usize = 10_000;
/// Deflate shrinks nothing more than about 1032 times: what claims more is no member but an attack.
const MAX_RATIO: usize = 1100;
/// Size of the record at the end of the archive, and of the longest comment after it.
const END: usize = 22;
const COMMENT: usize = 65535;

/// A member as the directory describes it.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub name: String,
    flags: u16,
    method: u16,
    crc: u32,
    packed: usize,
    size: usize,
    /// of its own header
    at: usize,
}

/// An archive in memory.
#[derive(Clone, Debug)]
pub(super) struct Archive<'a> {
    data: &'a [u8],
    file: &'a str,
    entries: Vec<Entry>,
}

pub(super) fn open<'a>(data: &'a [u8], file: &'a str) -> Result<Archive<'a>, Error> {
    let mut archive = Archive { data, file, entries: Vec::new() };
    if !data.starts_with(b"PK") {
        return Err(archive.error(0, "zip", "not an NPZ file: it does not begin with `PK`"));
    }
    // the end record is the last thing but a comment
    let from = data.len().saturating_sub(END + COMMENT);
    let end =
        (from..data.len().saturating_sub(END - 1)).rev().find(|at| data[*at..].starts_with(b"PK\x05\x06"));
    let end =
        end.ok_or_else(|| archive.error(data.len(), "zip", "no end of a directory: the file is cut off"))?;
    let members = usize::from(archive.word(end + 10)?);
    let mut at = archive.double(end + 16)?;
    if members > MAX_MEMBERS || at == u32::MAX as usize {
        return Err(archive.error(
            end,
            "zip",
            format!("{members} members; at most {MAX_MEMBERS} are read, without ZIP64"),
        ));
    }
    for _ in 0..members {
        if archive.slice(at, 4)? != b"PK\x01\x02" {
            return Err(archive.error(at, "zip", "an entry of the directory expected"));
        }
        let (name, extra, comment) = (archive.word(at + 28)?, archive.word(at + 30)?, archive.word(at + 32)?);
        let name = usize::from(name);
        let entry = Entry {
            name: String::from_utf8_lossy(archive.slice(at + 46, name)?).into_owned(),
            flags: archive.word(at + 8)?,
            method: archive.word(at + 10)?,
            crc: archive.double(at + 16)? as u32,
            packed: archive.double(at + 20)?,
            size: archive.double(at + 24)?,
            at: archive.double(at + 42)?,
        };
        archive.entries.push(entry);
        at += 46 + name + usize::from(extra) + usize::from(comment);
    }
    Ok(archive)
}

impl<'a> Archive<'a> {
    fn error(&self, at: usize, field: &str, what: impl Into<String>) -> Error {
        Error::Binary { file: self.file.to_string(), at, field: field.to_string(), what: what.into() }
    }

    fn slice(&self, at: usize, len: usize) -> Result<&'a [u8], Error> {
        at.checked_add(len).and_then(|end| self.data.get(at..end)).ok_or_else(|| {
            self.error(at, "zip", format!("{len} bytes expected here, the file has {}", self.data.len()))
        })
    }

    fn word(&self, at: usize) -> Result<u16, Error> {
        let b = self.slice(at, 2)?;
        Ok(u16::from_le_bytes([b[0], b[1]]))
    }

    fn double(&self, at: usize) -> Result<usize, Error> {
        let b = self.slice(at, 4)?;
        Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
    }

    pub fn names(&self) -> Vec<String> {
        const SOME: usize = 20;
        self.entries.iter().take(SOME).map(|e| e.name.chars().take(40).collect()).collect()
    }

    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|e| e.name == name)
    }

    /// What a member holds.
    pub fn bytes_of(&self, entry: &Entry) -> Result<Cow<'a, [u8]>, Error> {
        let wrong = |what: String| self.error(entry.at, &entry.name, what);
        if entry.flags & 1 != 0 {
            return Err(wrong("encrypted".into()));
        }
        if entry.size > MAX_MEMBER {
            return Err(wrong(format!("{} bytes; at most {MAX_MEMBER} are read", entry.size)));
        }
        if self.slice(entry.at, 4)? != b"PK\x03\x04" {
            return Err(wrong("the header of a member expected".into()));
        }
        let start =
            entry.at + 30 + usize::from(self.word(entry.at + 26)?) + usize::from(self.word(entry.at + 28)?);
        let packed = self.slice(start, entry.packed)?;
        let bytes = match entry.method {
            0 => Cow::Borrowed(packed),
            8 if entry.size / MAX_RATIO > entry.packed => {
                return Err(wrong(format!(
                    "{} bytes out of {}: no deflated data can be",
                    entry.size, entry.packed
                )));
            }
            8 => {
                let inflated = miniz_oxide::inflate::decompress_to_vec_with_limit(packed, entry.size)
                    .map_err(|e| {
                        wrong(format!("does not inflate to {} bytes: {:?}", entry.size, e.status))
                    })?;
                Cow::Owned(inflated)
            }
            other => {
                return Err(wrong(format!("packed by method {other}; 0 (stored) or 8 (deflated) expected")));
            }
        };
        if bytes.len() != entry.size {
            return Err(wrong(format!("{} bytes, {} expected", bytes.len(), entry.size)));
        }
        let crc = crc32(&bytes);
        if crc != entry.crc {
            return Err(wrong(format!(
                "checksum {crc:08x}, {:08x} expected: the file is damaged",
                entry.crc
            )));
        }
        Ok(bytes)
    }
}

/// The checksum of ZIP: polynomial 0xedb88320, reflected.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0u32; 256];
        let mut k = 0;
        while k < 256 {
            let mut c = k as u32;
            let mut bit = 0;
            while bit < 8 {
                c = if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
                bit += 1;
            }
            table[k] = c;
            k += 1;
        }
        table
    };
    !bytes.iter().fold(!0u32, |c, b| TABLE[usize::from(c as u8 ^ b)] ^ (c >> 8))
}

#[cfg(test)]
mod tests {
    #[test]
    fn checksum_of_the_standard_text() {
        assert_eq!(super::crc32(b"123456789"), 0xcbf4_3926);
    }
}
