//! Source files of the workspace as text: code, tests, functions and panic sites. Not a parser: it blanks comments and
//! literals and counts braces.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.as_ref().display()))
}

/// Files with an extension below a folder, sorted; skips build output.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())).flatten() {
        let path = entry.path();
        let is_ours =
            !["target", "node_modules", "dist", "src/engine"].iter().any(|made| path.ends_with(made));
        if path.is_dir() && is_ours {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|e| e == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    files(folder, "rs")
}

/// A Rust file.
pub struct Source {
    /// from the root, with `/`
    pub path: String,
    pub text: String,
    /// the text with comments and literals blanked, byte by byte
    pub code: String,
    /// whole lines of `#[cfg(test)]` items
    tests: Vec<Range<usize>>,
}

/// A function with a body: name, first line (from 1), number of lines.
pub struct Function {
    pub name: String,
    pub line: usize,
    pub lines: usize,
}

/// A panic site.
pub struct Panic {
    pub line: usize,
    /// as written: `expect`, `assert!`
    pub word: &'static str,
    /// whether a message gives the reason
    pub has_reason: bool,
}

/// Calls that may panic; indexing and integer division are not counted.
const PANICS: [&str; 11] = [
    ".unwrap()",
    ".unwrap_err()",
    ".expect(",
    ".expect_err(",
    "panic!(",
    "unreachable!(",
    "todo!(",
    "unimplemented!(",
    "assert!(",
    "assert_eq!(",
    "assert_ne!(",
];

/// Our own methods of the same name.
const OURS: [&str; 1] = ["simulation.expect("];

impl Source {
    pub fn read(path: &Path) -> Source {
        let text = read(path);
        let root = root();
        let path = path.strip_prefix(&root).expect("below the root").to_string_lossy().replace('\\', "/");
        Source::new(path, text)
    }

    pub fn new(path: String, text: String) -> Source {
        let code = blanked(&text);
        let tests =
            if path.ends_with("/tests.rs") { std::iter::once(0..text.len()).collect() } else { tests(&code) };
        Source { path, text, code, tests }
    }

    fn is_test(&self, at: usize) -> bool {
        self.tests.iter().any(|t| t.contains(&at))
    }

    /// Lines of source and lines of tests.
    pub fn lines(&self) -> (usize, usize) {
        let tests = self.tests.iter().map(|t| self.text[t.clone()].lines().count()).sum();
        (self.text.lines().count() - tests, tests)
    }

    pub fn line(&self, at: usize) -> usize {
        self.text[..at].matches('\n').count() + 1
    }

    /// Functions outside tests.
    pub fn functions(&self) -> Vec<Function> {
        let code = self.code.as_bytes();
        let mut found = Vec::new();
        for (at, _) in self.code.match_indices("fn ") {
            if (at > 0 && is_word(code[at - 1])) || self.is_test(at) {
                continue;
            }
            let name: String =
                self.code[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let (Some(body), false) = (body(code, at), name.is_empty()) else { continue };
            let line = self.line(at);
            found.push(Function { name, line, lines: self.line(body.end - 1) - line + 1 });
        }
        found
    }

    /// Panic sites outside tests.
    pub fn panics(&self) -> Vec<Panic> {
        let mut found = Vec::new();
        for word in PANICS {
            for (at, _) in self.code.match_indices(word) {
                let is_whole = word.starts_with('.') || at == 0 || !is_word(self.code.as_bytes()[at - 1]);
                let is_ours = OURS.iter().any(|own| self.code[..at + word.len()].ends_with(own));
                if is_whole && !is_ours && !self.is_test(at) {
                    let open = at + word.find('(').expect("calls open");
                    let others = match word {
                        "assert!(" => 1,
                        "assert_eq!(" | "assert_ne!(" => 2,
                        _ => 0,
                    };
                    let has_reason = self.has_sentence(open, others);
                    found.push(Panic {
                        line: self.line(at),
                        word: word.trim_matches(['.', '(', ')']),
                        has_reason,
                    });
                }
            }
        }
        found.sort_by_key(|p| p.line);
        found
    }

    /// Modules of its crate that it uses outside tests: `x` of `crate::x` and of `crate::{x, y::Z}`.
    pub fn used_modules(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (at, m) in self.code.match_indices("crate::").filter(|(at, _)| !self.is_test(*at)) {
            let from = at + m.len();
            let rest = &self.code[from..];
            let names: Vec<&str> = match rest.starts_with('{') {
                true => {
                    let end = closing(self.code.as_bytes(), from).unwrap_or(self.code.len());
                    let (mut depth, mut names, mut start) = (0, Vec::new(), from + 1);
                    for (i, byte) in self.code.bytes().enumerate().take(end).skip(from) {
                        match byte {
                            b'{' => depth += 1,
                            b'}' => depth -= 1,
                            _ => (),
                        }
                        if (byte == b',' && depth == 1) || depth == 0 {
                            names.push(&self.code[start..i]);
                            start = i + 1;
                        }
                    }
                    names
                }
                false => vec![rest],
            };
            let word =
                |n: &str| n.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            found.extend(names.into_iter().map(word));
        }
        found
    }

    /// Whether the call that opens here has a message (a string with a space) after `others` arguments.
    fn has_sentence(&self, open: usize, others: usize) -> bool {
        let code = self.code.as_bytes();
        let end = closing(code, open).unwrap_or(code.len());
        let (mut from, mut passed) = (open + 1, 0);
        while from < end && passed < others {
            match code[from] {
                b'(' | b'[' | b'{' => from = closing(code, from).unwrap_or(end),
                byte => (from, passed) = (from + 1, passed + usize::from(byte == b',')),
            }
        }
        self.text[from..end.max(from)].split('"').skip(1).step_by(2).any(|s| s.trim().contains(' '))
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// End of the bracket that opens here.
fn closing(code: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (i, byte) in code.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => (),
        }
        if depth == 0 {
            return Some(i + 1);
        }
    }
    None
}

/// Braces of the item that starts here; `None` if it ends with a semicolon.
fn body(code: &[u8], from: usize) -> Option<Range<usize>> {
    let mut i = from;
    while i < code.len() {
        match code[i] {
            b'{' => return Some(i..closing(code, i)?),
            b'(' | b'[' => i = closing(code, i)?,
            b';' => return None,
            _ => i += 1,
        }
    }
    None
}

/// Items under `#[cfg(test)]`, from the start of their first line to the end of their last.
fn tests(code: &str) -> Vec<Range<usize>> {
    const MARK: &str = "#[cfg(test)]";
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in code.match_indices(MARK) {
        if found.last().is_some_and(|t| t.contains(&at)) {
            continue;
        }
        let from = code[..at].rfind('\n').map_or(0, |n| n + 1);
        let item = at + MARK.len();
        let end = match body(code.as_bytes(), item) {
            Some(braces) => braces.end,
            None => item + code[item..].find(';').map_or(0, |n| n + 1),
        };
        let end = code[end..].find('\n').map_or(code.len(), |n| end + n + 1);
        found.push(from..end);
    }
    found
}

/// The text with comments, strings and characters blanked.
fn blanked(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut i = 0;
    while i < bytes.len() {
        let end = match bytes[i] {
            b'/' if text[i..].starts_with("//") => text[i..].find('\n').map_or(bytes.len(), |n| i + n),
            b'/' if text[i..].starts_with("/*") => comment_end(text, i),
            b'"' => string_end(bytes, i),
            b'r' if i == 0 || !is_word(bytes[i - 1]) || bytes[i - 1] == b'b' => match raw_end(text, i) {
                Some(end) => end,
                None => i,
            },
            b'\'' => character_end(text, i),
            _ => i,
        };
        code[i..end].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
        i = end.max(i + 1);
    }
    String::from_utf8(code).expect("whole characters were blanked")
}

fn comment_end(text: &str, from: usize) -> usize {
    let (mut depth, mut i) = (0, from);
    while i < text.len() {
        match &text.as_bytes()[i..] {
            [b'/', b'*', ..] => (depth, i) = (depth + 1, i + 2),
            [b'*', b'/', ..] => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return i;
        }
    }
    i
}

fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut i = from + 1;
    while i < bytes.len() && bytes[i] != b'"' {
        i += if bytes[i] == b'\\' { 2 } else { 1 };
    }
    (i + 1).min(bytes.len())
}

/// End of `r#"..."#` with any number of #.
fn raw_end(text: &str, from: usize) -> Option<usize> {
    let hashes = text[from + 1..].bytes().take_while(|b| *b == b'#').count();
    let open = from + 1 + hashes;
    if text.as_bytes().get(open) != Some(&b'"') {
        return None;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    text[open + 1..].find(&close).map(|n| open + 1 + n + close.len())
}

/// End of a character literal; lifetimes are not literals.
fn character_end(text: &str, from: usize) -> usize {
    let mut rest = text[from + 1..].char_indices();
    let Some((_, first)) = rest.next() else { return from };
    if first == '\\' {
        // an escaped quote
        rest.next();
        return rest.find(|(_, c)| *c == '\'').map_or(from, |(n, _)| from + 1 + n + 1);
    }
    match rest.next() {
        Some((n, '\'')) => from + 1 + n + 1,
        _ => from,
    }
}
