//! The reader of .json files.
#![no_main]

use anthropi_formats::motion::json;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = json::read(&String::from_utf8_lossy(data), "f");
});
