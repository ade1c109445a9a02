//! The reader of .asf files.
#![no_main]

use anthropi_formats::acclaim;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = acclaim::read_at_rest(&String::from_utf8_lossy(data), "f", &acclaim::Options::default());
});
