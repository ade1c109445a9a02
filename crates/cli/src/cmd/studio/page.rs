//! Files of the page, embedded at build time; empty if the page was not built.

/// Path and content.
pub const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// A file by its path.
pub fn find(path: &str) -> Option<&'static [u8]> {
    let name = if path.is_empty() { "index.html" } else { path };
    FILES.iter().find(|(n, _)| *n == name).map(|(_, bytes)| *bytes)
}
