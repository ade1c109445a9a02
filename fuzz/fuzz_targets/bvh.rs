//! The reader of .bvh files.
#![no_main]

use anthropi_formats::bvh;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(recording) = bvh::read(&String::from_utf8_lossy(data), "f") {
        let _ = bvh::write(&recording);
    }
});
