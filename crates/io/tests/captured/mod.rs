//! Captured motions of the data set beside the repository; none where it is absent.
#![allow(dead_code)] // each test takes what it needs

use anthropi_io::bvh;
use anthropi_motion::clip::Clip;
use anthropi_motion::person::{Options, Person};
use anthropi_motion::recording::Recording;
use std::path::{Path, PathBuf};

/// A file of the data set.
pub fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(path)
}

/// A BVH file.
pub fn recording(path: &Path) -> Option<Recording> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(bvh::read(&text, &path.display().to_string()).expect("a file of the data set"))
}

/// A motion of CMU's, on the figure made for it.
pub fn clip(name: &str) -> Option<Clip> {
    let recording = recording(&data(&format!("bvh/{name}.bvh")))?;
    let person = Person::of(&recording, &Options::default()).expect("a person");
    Some(person.clip(&recording).expect("its motion"))
}
