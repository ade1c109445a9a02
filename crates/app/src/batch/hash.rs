//! Fingerprints of contents and settings.

use std::fmt;

/// 64-bit FNV-1a (Fowler, Noll, Vo): detects changes, not forgery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv(u64);

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x100_0000_01b3;

impl Fnv {
    /// Appends bytes.
    pub fn then(self, bytes: &[u8]) -> Fnv {
        Fnv(bytes.iter().fold(self.0, |hash, b| (hash ^ u64::from(*b)).wrapping_mul(PRIME)))
    }
}

/// Hash of no bytes.
impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(BASIS)
    }
}

/// Sixteen hexadecimal digits.
impl fmt::Display for Fnv {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values() {
        // from the page of the algorithm's authors
        assert_eq!(Fnv::default().to_string(), "cbf29ce484222325");
        assert_eq!(Fnv::default().then(b"a").to_string(), "af63dc4c8601ec8c");
        assert_eq!(Fnv::default().then(b"foo").then(b"bar").to_string(), "85944171f73967e8");
    }
}
