//! The reader of .npz files.
#![no_main]

use anthropi_formats::npz;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = npz::read(data, "f");
});
