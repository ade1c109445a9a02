//! Random mutations of texts, for tests of readers.

/// A small seeded random number generator (xorshift64): the same numbers on every run.
pub struct Random(pub u64);

impl Random {
    /// A number less than `below`.
    pub fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }
}

/// A text with one to four changes: a byte, an inserted or replacing word, a repeated piece.
pub fn mutated(text: &str, words: &[&str], random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.next(4) {
        let at = random.next(bytes.len());
        match random.next(4) {
            0 => bytes[at] = random.next(256) as u8,
            1 => drop(bytes.splice(at..at, words[random.next(words.len())].bytes())),
            2 => {
                let end = (at + random.next(20)).min(bytes.len());
                drop(bytes.splice(at..end, words[random.next(words.len())].bytes()));
            }
            _ => {
                let from = random.next(bytes.len());
                let piece = bytes[from..(from + random.next(200)).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
