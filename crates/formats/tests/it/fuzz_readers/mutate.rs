//! Mutations of files: bytes, words and lines changed, removed, repeated and swapped, invalid numbers.

use testkit::Rng;

/// Words that have broken readers before.
const WORDS: &str = "nan|NaN|inf|-inf|1e999|-1e308|1e-320|0|-0|-1|1|2|65535|65536|2147483648|4294967295|\
                     99999999999999999999|18446744073709551615|1,5|.|-||{|}|\"|[[[[[[[[|\u{e4}\u{fffd}|\
                     \u{0}";
/// Patterns that have broken readers of binary files before.
const PATTERNS: [&[u8]; 10] = [
    &[0xff, 0xff],
    &[0xff, 0x7f],
    &[0x00, 0x80],
    &[0x00, 0x00],
    &[0xff, 0xff, 0xff, 0xff],
    &[0xff, 0xff, 0xff, 0x7f],
    &[0x00, 0x00, 0xc0, 0x7f],
    &[0x00, 0x00, 0x80, 0x7f],
    &[0x00, 0x00, 0x80, 0xff],
    &[0x01, 0x00, 0x00, 0x00],
];
/// Longest file that is made.
const LONGEST: usize = 100_000;

/// Changes a file in one to six ways.
pub fn mutate(bytes: &mut Vec<u8>, random: &mut Rng) {
    for _ in 0..=random.below(6) {
        match random.below(12) {
            0 => flip(bytes, random),
            1 => {
                let at = random.below(bytes.len() + 1);
                bytes.truncate(at);
            }
            2 => with_lines(bytes, random, |lines, random| {
                let (from, to) = (random.below(lines.len()), random.below(lines.len()));
                let line = lines[from].clone();
                lines.insert(to, line);
            }),
            3 => with_lines(bytes, random, |lines, random| drop(lines.remove(random.below(lines.len())))),
            4 => with_lines(bytes, random, |lines, random| {
                let (a, b) = (random.below(lines.len()), random.below(lines.len()));
                lines.swap(a, b);
            }),
            5 | 6 => replace_word(bytes, random),
            7 => swap_words(bytes, random),
            8 => pattern(bytes, random),
            9 => repeat(bytes, random),
            10 => insert(bytes, random),
            _ => digit(bytes, random),
        }
        bytes.truncate(LONGEST);
    }
}

/// Changes a file in ways that keep its length.
pub fn mutate_in_place(bytes: &mut [u8], random: &mut Rng) {
    for _ in 0..=random.below(6) {
        match random.below(3) {
            0 => flip(bytes, random),
            1 => pattern(bytes, random),
            _ => digit(bytes, random),
        }
    }
}

fn flip(bytes: &mut [u8], random: &mut Rng) {
    let at = random.below(bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        *byte = if random.below(2) == 0 { *byte ^ (1 << random.below(8)) } else { random.below(256) as u8 };
    }
}

fn pattern(bytes: &mut [u8], random: &mut Rng) {
    let pattern = PATTERNS[random.below(PATTERNS.len())];
    let at = random.below(bytes.len());
    bytes.iter_mut().skip(at).zip(pattern).for_each(|(b, p)| *b = *p);
}

/// Another digit where there is one.
fn digit(bytes: &mut [u8], random: &mut Rng) {
    let from = random.below(bytes.len());
    if let Some(byte) = bytes.iter_mut().skip(from).find(|b| b.is_ascii_digit()) {
        *byte = b'0' + random.below(10) as u8;
    }
}

/// Lines with their ends.
fn with_lines(bytes: &mut Vec<u8>, random: &mut Rng, change: impl Fn(&mut Vec<Vec<u8>>, &mut Rng)) {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    if !lines.is_empty() {
        change(&mut lines, random);
        *bytes = lines.concat();
    }
}

/// Where the words of a text are.
fn words(bytes: &[u8]) -> Vec<(usize, usize)> {
    let ends = |b: u8| b.is_ascii_whitespace() || b == b',';
    let mut words = Vec::new();
    let mut from = 0;
    for at in 0..=bytes.len() {
        if at == bytes.len() || ends(bytes[at]) {
            if at > from {
                words.push((from, at));
            }
            from = at + 1;
        }
    }
    words
}

fn word(random: &mut Rng) -> &'static str {
    let count = WORDS.split('|').count();
    WORDS.split('|').nth(random.below(count)).unwrap_or("")
}

fn replace_word(bytes: &mut Vec<u8>, random: &mut Rng) {
    let words = words(bytes);
    if let Some((from, to)) = words.get(random.below(words.len())) {
        bytes.splice(from..to, word(random).bytes());
    }
}

fn swap_words(bytes: &mut Vec<u8>, random: &mut Rng) {
    let words = words(bytes);
    let (Some(a), Some(b)) = (words.get(random.below(words.len())), words.get(random.below(words.len())))
    else {
        return;
    };
    let (a, b) = if a.0 <= b.0 { (a, b) } else { (b, a) };
    if a.1 <= b.0 {
        let (first, second) = (bytes[a.0..a.1].to_vec(), bytes[b.0..b.1].to_vec());
        bytes.splice(b.0..b.1, first);
        bytes.splice(a.0..a.1, second);
    }
}

/// A piece many times over.
fn repeat(bytes: &mut Vec<u8>, random: &mut Rng) {
    let from = random.below(bytes.len());
    let to = (from + 1 + random.below(64)).min(bytes.len());
    let piece = bytes[from..to].to_vec();
    let times = [2, 10, 100, 1000][random.below(4)];
    if piece.len() * times <= LONGEST {
        bytes.splice(to..to, piece.repeat(times));
    }
}

fn insert(bytes: &mut Vec<u8>, random: &mut Rng) {
    let at = random.below(bytes.len() + 1);
    bytes.splice(at..at, word(random).bytes());
}
