//! The reader of .c3d files.
#![no_main]

use anthropi_formats::c3d;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = c3d::read(data, "f");
});
