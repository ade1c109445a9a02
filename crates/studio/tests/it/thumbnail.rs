//! Thumbnails of the library.

use anthropi_studio::library::{self, Group};
use anthropi_studio::thumbnail;

/// Largest thumbnail, bytes: 2000, and a little more for two figures in one.
const LARGEST: usize = 2300;

#[test]
fn every_library_item_has_a_small_thumbnail() {
    // planning a walk takes seconds; the tests of the page cover walks
    for item in library::items().iter().filter(|i| i.group != Group::Walk) {
        let text = thumbnail::draw(item.name).unwrap_or_else(|e| panic!("{}: {e}", item.name));
        assert!(text.len() <= LARGEST, "{}: {} bytes", item.name, text.len());
        assert!(text.contains("<path d=\"M"), "{}: {text}", item.name);
    }
    assert!(thumbnail::draw("no such thing").is_err());
}
