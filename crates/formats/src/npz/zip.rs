//! The subset of ZIP that NumPy writes: stored or deflated members, found through the central directory.
//!
//! Source: PKWARE's APPNOTE 6.3. Rejected: encryption, other methods, sizes beyond 32 bits, several disks.
//! Members are inflated on demand, each up to [`MAX_MEMBER`] bytes and never beyond its stated size.

use crate::bytes::{Bytes, Processor};
use crate::error::Error;
use crate::names::clipped;
use std::borrow::Cow;

/// Largest member inflated: half an hour of poses in doubles.
const MAX_MEMBER: usize = 256 << 20;
/// Most members of an archive.
const MAX_MEMBERS: usize = 10_000;
/// Deflate compresses at most about 1032 times: a higher ratio is an attack.
const MAX_RATIO: usize = 1100;
/// Size of the end record, and of the longest comment after it.
const END: usize = 22;
const COMMENT: usize = 65535;

/// Field of errors about the archive itself.
const FIELD: &str = "zip";

/// A member of the directory.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub name: String,
    flags: u16,
    method: u16,
    crc: u32,
    packed: usize,
    size: usize,
    /// offset of its header
    at: usize,
}

/// An archive in memory.
#[derive(Clone, Debug)]
pub(super) struct Archive<'a> {
    bytes: Bytes<'a>,
    entries: Vec<Entry>,
}

pub(super) fn open<'a>(data: &'a [u8], file: &'a str) -> Result<Archive<'a>, Error> {
    let bytes = Bytes { data, file, processor: Processor::Intel };
    let mut archive = Archive { bytes, entries: Vec::new() };
    if !data.starts_with(b"PK") {
        return Err(bytes.error(0, FIELD, "not an NPZ file: expected `PK` at its start"));
    }
    // only a comment may follow the end record
    let from = data.len().saturating_sub(END + COMMENT);
    let end =
        (from..data.len().saturating_sub(END - 1)).rev().find(|at| data[*at..].starts_with(b"PK\x05\x06"));
    let end = end.ok_or_else(|| bytes.error(data.len(), FIELD, "no directory: the file is truncated"))?;
    let members = usize::from(archive.word(end + 10)?);
    let mut at = archive.double(end + 16)?;
    if members > MAX_MEMBERS || at == u32::MAX as usize {
        let what = format!("{members} members, expected at most {MAX_MEMBERS}, without ZIP64");
        return Err(bytes.error(end, FIELD, what));
    }
    for _ in 0..members {
        if bytes.slice(at, 4, FIELD)? != b"PK\x01\x02" {
            return Err(bytes.error(at, FIELD, "expected a directory entry"));
        }
        let (name, extra, comment) = (archive.word(at + 28)?, archive.word(at + 30)?, archive.word(at + 32)?);
        let name = usize::from(name);
        let entry = Entry {
            name: String::from_utf8_lossy(bytes.slice(at + 46, name, FIELD)?).into_owned(),
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
    fn word(&self, at: usize) -> Result<u16, Error> {
        self.bytes.word(at, FIELD)
    }

    fn double(&self, at: usize) -> Result<usize, Error> {
        let b = self.bytes.slice(at, 4, FIELD)?;
        Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
    }

    pub fn names(&self) -> Vec<String> {
        const MAX_LISTED: usize = 20;
        self.entries.iter().take(MAX_LISTED).map(|e| clipped(&e.name)).collect()
    }

    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|e| e.name == name)
    }

    /// Content of a member.
    pub fn read(&self, entry: &Entry) -> Result<Cow<'a, [u8]>, Error> {
        let wrong = |what: String| self.bytes.error(entry.at, &entry.name, what);
        if entry.flags & 1 != 0 {
            return Err(wrong("encrypted members are not supported".into()));
        }
        if entry.size > MAX_MEMBER {
            return Err(wrong(format!("{} bytes, expected at most {MAX_MEMBER}", entry.size)));
        }
        if self.bytes.slice(entry.at, 4, FIELD)? != b"PK\x03\x04" {
            return Err(wrong("expected a member header".into()));
        }
        let start =
            entry.at + 30 + usize::from(self.word(entry.at + 26)?) + usize::from(self.word(entry.at + 28)?);
        let packed = self.bytes.slice(start, entry.packed, FIELD)?;
        let bytes = match entry.method {
            0 => Cow::Borrowed(packed),
            8 if entry.size / MAX_RATIO > entry.packed => {
                let (size, packed) = (entry.size, entry.packed);
                return Err(wrong(format!("{size} bytes from {packed}: impossible for deflated data")));
            }
            8 => {
                let inflated = miniz_oxide::inflate::decompress_to_vec_with_limit(packed, entry.size);
                let failed = |status| wrong(format!("does not inflate to {} bytes: {status:?}", entry.size));
                Cow::Owned(inflated.map_err(|e| failed(e.status))?)
            }
            n => return Err(wrong(format!("compression method {n}, expected 0 (stored) or 8 (deflated)"))),
        };
        if bytes.len() != entry.size {
            return Err(wrong(format!("{} bytes, expected {}", bytes.len(), entry.size)));
        }
        let (crc, stated) = (crc32(&bytes), entry.crc);
        if crc != stated {
            return Err(wrong(format!("checksum {crc:08x}, expected {stated:08x}: the file is damaged")));
        }
        Ok(bytes)
    }
}

/// CRC-32 of ZIP: reflected polynomial 0xedb88320.
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
