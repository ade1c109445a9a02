//! The reader of .sto files.
#![no_main]

use anthropi_formats::sto;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = sto::read(data, "f");
});
