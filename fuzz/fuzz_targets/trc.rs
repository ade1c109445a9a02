//! The reader of .trc files.
#![no_main]

use anthropi_formats::trc;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = trc::read(data, "f");
});
