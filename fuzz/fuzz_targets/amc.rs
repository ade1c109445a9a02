//! The reader of .amc files.
#![no_main]

use anthropi_formats::acclaim;
use libfuzzer_sys::fuzz_target;

const ASF: &str = include_str!("../../crates/formats/tests/it/fuzz_readers/seeds/walk.asf");

fuzz_target!(|data: &[u8]| {
    let _ = acclaim::read(ASF, "s", &String::from_utf8_lossy(data), "f");
});
