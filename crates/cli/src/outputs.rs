//! Files that a command is to write, looked at before its work begins: none of them is read by it, no two are one, and
//! each ends as its kind does.

use anyhow::bail;
use std::fs;
use std::path::{Path, PathBuf};

/// Endings of pages.
pub const PAGE: &[&str] = &["html", "htm"];
/// Endings of pictures.
pub const PICTURE: &[&str] = &["svg"];

/// Refuses files that would be lost: what is read and written too, and what is written twice. What is written goes with
/// its option, or its name in the help.
pub fn refuse_clashes(reads: &[Option<&Path>], writes: &[(&str, Option<&Path>)]) -> anyhow::Result<()> {
    let mut seen: Vec<(&str, PathBuf)> = Vec::new();
    for (option, path) in writes.iter().filter_map(|(option, path)| path.map(|p| (*option, p))) {
        let place = place(path);
        if reads.iter().flatten().any(|read| read.exists() && self::place(read) == place) {
            bail!(
                "{option} {}: that is the file that is read, and it would be lost; give another name",
                path.display()
            );
        }
        if let Some((other, _)) = seen.iter().find(|(_, p)| *p == place) {
            bail!("{other} and {option} are both {}; give each a name of its own", path.display());
        }
        seen.push((option, place));
    }
    Ok(())
}

/// Refuses a file whose ending says that it is something else.
pub fn refuse_ending(option: &str, path: Option<&Path>, endings: &[&str]) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    let is = |ending: &&str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
    if endings.iter().any(is) {
        return Ok(());
    }
    let first = path.with_extension(endings[0]);
    bail!(
        "{option} {}: this is written as .{}, such as {}",
        path.display(),
        endings.join(", ."),
        first.display()
    )
}

/// Where a file is or would be, whatever way it is named.
fn place(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = || Some(fs::canonicalize(parent).ok()?.join(path.file_name()?));
    fs::canonicalize(path).ok().or_else(beside).unwrap_or_else(|| path.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_or_written_already_is_not_written() {
        let dir = std::env::temp_dir().join(format!("anthropi-outputs-{}", std::process::id()));
        fs::create_dir_all(dir.join("in")).unwrap();
        let [read, same, new] = ["a.bvh", "in/../a.bvh", "in/b.bvh"].map(|name| dir.join(name));
        fs::write(&read, "").unwrap();
        let clash = |writes: &[(&str, Option<&Path>)]| {
            refuse_clashes(&[Some(&read), None], writes).err().map(|e| e.to_string())
        };
        assert_eq!(clash(&[("--out", Some(&new)), ("--report", None)]), None);
        assert!(clash(&[("--out", Some(&same))]).unwrap().contains("it would be lost"));
        let twice = clash(&[("--out", Some(&new)), ("--report", Some(&dir.join("in/./b.bvh")))]).unwrap();
        assert!(twice.starts_with("--out and --report are both"), "{twice}");
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn endings_say_what_a_file_is() {
        let said =
            |path: &str| refuse_ending("--report", Some(Path::new(path)), PAGE).err().map(|e| e.to_string());
        assert_eq!([said("a.html"), said("b/A.HTM")], [None, None]);
        assert_eq!(said("a.pdf").unwrap(), "--report a.pdf: this is written as .html, .htm, such as a.html");
        assert!(refuse_ending("--report", None, PAGE).is_ok());
    }
}
