//! A directory for each test, in which it runs the binary.

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A fresh directory.
pub struct Room {
    dir: PathBuf,
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Got {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Room {
    pub fn new(name: &str) -> Room {
        let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).expect("a directory for the test");
        Room { dir }
    }

    /// A directory with files.
    pub fn with(name: &str, files: &[(&str, &str)]) -> Room {
        let room = Room::new(name);
        files.iter().for_each(|(file, text)| room.write(file, text));
        room
    }

    pub fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        fs::write(self.dir.join(file), text).expect("a file for the test");
    }

    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.dir.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.dir.join(file)
    }

    /// Names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.dir).expect("the test's directory");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The JSON of a run with an expected exit code.
    #[track_caller]
    pub fn json_result(&self, command: &str, code: i32, args: &[&str]) -> Value {
        let got = self.run(&[&[command], args, &["--json"]].concat());
        assert_eq!(got.code, code, "{args:?}: {}\n{}", got.err, got.out);
        serde_json::from_str(&got.out).unwrap_or_else(|e| panic!("{args:?}: {e}\n{}", got.out))
    }

    /// A command that must be refused with a message that contains all parts.
    #[track_caller]
    pub fn refused(&self, args: &[&str], parts: &[&str]) {
        let got = self.run(args);
        assert_eq!(got.code, 2, "{args:?}: {}\n{}", got.err, got.out);
        assert!(got.out.is_empty() && !got.err.contains("panicked"), "{args:?}: {got:?}");
        for part in parts {
            assert!(got.err.contains(part), "{args:?}\nexpected: {part}\ngot: {}", got.err);
        }
    }

    pub fn run(&self, args: &[&str]) -> Got {
        let got = Command::new(env!("CARGO_BIN_EXE_anthropi")).args(args).current_dir(&self.dir).output();
        let got = got.expect("the binary runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Got { code: got.status.code().expect("an exit code"), out: text(got.stdout), err: text(got.stderr) }
    }

    /// The JSON of a run with exit code 0.
    pub fn fine(&self, args: &[&str]) -> Value {
        let got = self.run(args);
        assert_eq!(got.code, 0, "{args:?}: {}", got.err);
        serde_json::from_str(&got.out).unwrap_or_else(|e| panic!("{args:?}: {e}\n{}", got.out))
    }

    /// Fields of `compute` for a state.
    pub fn compute(&self, figure: &str, state: &str, want: &str, more: &[&str]) -> Value {
        self.write("state.json", state);
        let args = ["compute", figure, "--state", "state.json", "--want", want, "--json"];
        self.fine(&[&args, more].concat())
    }
}

/// All numbers in a value, in order.
pub fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Number(n) => vec![n.as_f64().expect("a number")],
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        Value::Object(table) => table.values().flat_map(numbers).collect(),
        _ => Vec::new(),
    }
}

/// Rounding error of a few operations on numbers near one.
pub const ROUNDING: f64 = 1e-12;

#[track_caller]
pub fn assert_near(got: &Value, expected: &[f64]) {
    let got = numbers(got);
    assert_eq!(got.len(), expected.len(), "got {got:?}, expected {expected:?}");
    let worst = got.iter().zip(expected).map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f64::max);
    assert!(worst <= ROUNDING, "got {got:?}, expected {expected:?}, residual {worst:e}");
}

/// A number at a JSON pointer.
#[track_caller]
pub fn number(value: &Value, path: &str) -> f64 {
    let found = value.pointer(path).unwrap_or_else(|| panic!("no {path} in {value:#}"));
    found.as_f64().unwrap_or_else(|| panic!("{path} is {found}"))
}
