//! Small pictures of the library.

use anthropi_studio::{library, thumbnail};

/// Largest picture, bytes: 2000, and a little more for two figures in one.
const LARGEST: usize = 2300;

#[test]
fn everything_in_the_library_has_a_small_picture() {
    // walks take seconds to be planned; the page's own tests see them
    for item in library::items().iter().filter(|i| i.kind != "walk") {
        let text = thumbnail::of(&item.name).unwrap_or_else(|e| panic!("{}: {e}", item.name));
        assert!(text.len() <= LARGEST, "{}: {} bytes", item.name, text.len());
        assert!(text.contains("<path d=\"M"), "{}: {text}", item.name);
    }
    assert!(thumbnail::of("no such thing").is_err());
}
