//! Captured motions of the recordings beside the repository; `None`, with a report, where they are absent.

use crate::data;
use anthropi_formats::bvh;
use anthropi_motion::clip::Clip;
use anthropi_motion::person::{Options, Person};
use anthropi_motion::recording::Recording;
use std::path::Path;

/// Reads a BVH file of the recordings.
pub fn recording(path: &Path) -> Recording {
    let text = std::fs::read_to_string(path).expect("a file of the recordings");
    bvh::read(&text, &path.display().to_string()).expect("a BVH file of the recordings")
}

/// A CMU motion, on a figure made for its skeleton.
pub fn clip(name: &str) -> Option<Clip> {
    let recording = recording(&data(&format!("bvh/{name}.bvh"))?);
    let person = Person::from_recording(&recording, &Options::default()).expect("a person");
    Some(person.clip(&recording).expect("its motion"))
}
