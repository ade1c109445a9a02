//! Checks of output files before the work begins: none is an input, no two are the same, and the extensions fit.

use anthropi_formats::file::has_extension;
use anyhow::bail;
use std::fs;
use std::path::{Path, PathBuf};

/// Extensions of pages.
pub const PAGE: &[&str] = &["html", "htm"];
/// Extensions of pictures.
pub const PICTURE: &[&str] = &["svg"];
/// Extensions of pictures and pages.
pub const PICTURE_OR_PAGE: &[&str] = &["svg", "html", "htm"];

/// Refuses output files that are also inputs, or given twice. `writes` has the option or the name in the help.
pub fn refuse_clashes(reads: &[Option<&Path>], writes: &[(&str, Option<&Path>)]) -> anyhow::Result<()> {
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    for (option, path) in writes.iter().filter_map(|(option, path)| path.map(|p| (*option, p))) {
        let place = place(path);
        if reads.iter().flatten().any(|read| read.exists() && self::place(read) == place) {
            bail!("{option} {}: this input file would be overwritten; use another name", path.display());
        }
        if let Some((other, _)) = seen.iter().find(|(_, p)| *p == place) {
            bail!("{other} and {option} are both {}; use different names", path.display());
        }
        seen.push((option, place));
    }
    Ok(())
}

/// Refuses a file with another extension.
pub fn refuse_ending(option: &str, path: Option<&Path>, endings: &[&str]) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    if has_extension(path, endings) {
        return Ok(());
    }
    let first = path.with_extension(endings[0]);
    bail!(
        "{option} {}: expected the extension .{}, such as {}",
        path.display(),
        endings.join(", ."),
        first.display()
    )
}

/// Canonical path of a file, existing or not.
fn place(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = || Some(fs::canonicalize(parent).ok()?.join(path.file_name()?));
    fs::canonicalize(path).ok().or_else(beside).unwrap_or_else(|| path.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_and_duplicates_are_refused() {
        let dir = std::env::temp_dir().join(format!("anthropi-outputs-{}", std::process::id()));
        fs::create_dir_all(dir.join("in")).unwrap();
        let [read, same, new] = ["a.bvh", "in/../a.bvh", "in/b.bvh"].map(|name| dir.join(name));
        fs::write(&read, "").unwrap();
        let clash = |writes: &[(&str, Option<&Path>)]| {
            refuse_clashes(&[Some(&read), None], writes).err().map(|e| e.to_string())
        };
        assert_eq!(clash(&[("--out", Some(&new)), ("--report", None)]), None);
        assert!(clash(&[("--out", Some(&same))]).unwrap().contains("would be overwritten"));
        let twice = clash(&[("--out", Some(&new)), ("--report", Some(&dir.join("in/./b.bvh")))]).unwrap();
        assert!(twice.starts_with("--out and --report are both"), "{twice}");
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn extensions_are_checked() {
        let error =
            |path: &str| refuse_ending("--report", Some(Path::new(path)), PAGE).err().map(|e| e.to_string());
        assert_eq!([error("a.html"), error("b/A.HTM")], [None, None]);
        assert_eq!(
            error("a.pdf").unwrap(),
            "--report a.pdf: expected the extension .html, .htm, such as a.html"
        );
        assert!(refuse_ending("--report", None, PAGE).is_ok());
    }
}
