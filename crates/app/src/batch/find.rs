//! Finds motions in folders (recursive), files and patterns.

use super::hash::Fnv;
use crate::resolve::{self, ItemKind};
use anthropi_formats::Error;
use anthropi_formats::file;
use anthropi_formats::{acclaim, motion};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Our own JSON clips contain this word within their first bytes.
const BEGINNING: u64 = 256;
const OWN_JSON: &str = "anthropi clip";

/// A motion of a data set.
#[derive(Clone, Debug)]
pub struct Entry {
    /// unique name: path relative to the input folder, with `/`
    pub name: String,
    /// path of the file
    pub path: PathBuf,
    /// file size, bytes
    pub size: u64,
    /// relative path of written motions, without extension: `x` for `x.bvh`; with it if `x.amc` exists, too
    pub output: String,
}

impl Entry {
    /// Fingerprint of the content: the file, and the skeleton of an .amc.
    ///
    /// # Errors
    /// Errors of the file system.
    pub(super) fn content(&self, options: &motion::Options) -> Result<Fnv, Error> {
        let hash = Fnv::default().then(&file::bytes(&self.path)?);
        // a given skeleton is part of the settings
        let skeleton = if options.skeleton.is_none() { skeleton_beside(&self.path) } else { None };
        Ok(match skeleton {
            Some(path) => hash.then(&file::bytes(&path)?),
            None => hash,
        })
    }

    /// Its path as text.
    ///
    /// # Errors
    /// A path that is not UTF-8.
    pub(super) fn input(&self) -> Result<&str, Error> {
        let what = "the file name is not UTF-8";
        self.path.to_str().ok_or_else(|| Error::Input { input: self.name.clone(), what: what.into() })
    }
}

/// All motions of the inputs, sorted by name, without duplicates. The folder `out` is skipped.
///
/// # Errors
/// Missing inputs; unreadable folders; no motions.
pub fn entries(inputs: &[String], out: &Path) -> Result<Vec<Entry>, Error> {
    let mut walk = Walk { out: fs::canonicalize(out).ok(), found: BTreeMap::new(), bases: Vec::new() };
    for input in inputs {
        walk.input(input)?;
    }
    if walk.found.is_empty() {
        return Err(Error::NoMotions { inputs: inputs.join(", "), expected: motion::MOTIONS_IN });
    }
    let base = common(&walk.bases);
    let found = walk.found.into_iter().map(|(full, (path, size))| (name(&full, &base), path, size));
    let mut found: Vec<_> = found.collect();
    found.sort();
    let outputs = outputs(&found.iter().map(|(name, ..)| name.as_str()).collect::<Vec<_>>());
    let entries = found.into_iter().zip(outputs);
    Ok(entries.map(|((name, path, size), output)| Entry { name, path, size, output }).collect())
}

/// Names without extension where they stay unique, else with it.
fn outputs(names: &[&str]) -> Vec<String> {
    let stem = |name: &str| Path::new(name).with_extension("").to_string_lossy().into_owned();
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for name in names.iter().flat_map(|name| [stem(name), (*name).into()]) {
        *count.entry(name).or_default() += 1;
    }
    names.iter().map(|name| if count[&stem(name)] == 1 { stem(name) } else { (*name).into() }).collect()
}

/// The search.
struct Walk {
    /// full path of the output folder, if it exists
    out: Option<PathBuf>,
    /// by full path: path as given, and size
    found: BTreeMap<PathBuf, (PathBuf, u64)>,
    /// full paths of the input folders and of the folders of input files
    bases: Vec<PathBuf>,
}

impl Walk {
    fn input(&mut self, input: &str) -> Result<(), Error> {
        let path = Path::new(input);
        match fs::metadata(path) {
            Ok(about) if about.is_dir() => {
                if self.out == Some(full(path)?) {
                    return Err(Error::OutputIsInput { folder: input.into() });
                }
                self.bases.push(full(path)?);
                self.folder(path, &mut Vec::new())
            }
            Ok(about) => {
                self.bases.push(full(folder_of(path))?);
                self.add(path, about.len())
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound && input.contains(['*', '?', '[']) => {
                self.pattern(input)
            }
            Err(source) => Err(Error::File { file: input.into(), source }),
        }
    }

    /// Adds the files of a pattern, and folders recursively.
    fn pattern(&mut self, pattern: &str) -> Result<(), Error> {
        let wrong = |what: String| Error::Input { input: pattern.into(), what };
        let paths = glob::glob(pattern).map_err(|e| wrong(e.to_string()))?;
        let paths = paths.collect::<Result<Vec<PathBuf>, _>>().map_err(|e| wrong(e.to_string()))?;
        if paths.is_empty() {
            return Err(Error::NoMatch { pattern: pattern.into() });
        }
        self.bases.push(full(&fixed_part(pattern))?);
        for path in paths.iter().filter(|p| !is_hidden(p)) {
            let about = fs::metadata(path).map_err(at(path))?;
            if about.is_dir() {
                self.folder(path, &mut Vec::new())?;
            } else if about.is_file() && is_motion(path) {
                self.add(path, about.len())?;
            }
        }
        Ok(())
    }

    /// Adds a folder recursively. `above` are the full paths of its ancestors: links may lead back to them.
    fn folder(&mut self, folder: &Path, above: &mut Vec<PathBuf>) -> Result<(), Error> {
        let here = full(folder)?;
        if above.contains(&here) || self.out.as_ref() == Some(&here) {
            return Ok(());
        }
        above.push(here);
        for entry in fs::read_dir(folder).map_err(at(folder))? {
            let path = entry.map_err(at(folder))?.path();
            // skip dangling links
            let Some(about) = fs::metadata(&path).ok().filter(|_| !is_hidden(&path)) else { continue };
            if about.is_dir() {
                self.folder(&path, above)?;
            } else if about.is_file() && is_motion(&path) {
                self.add(&path, about.len())?;
            }
        }
        above.pop();
        Ok(())
    }

    /// Adds a file under the name it has in its folder, even if that is a link.
    fn add(&mut self, path: &Path, size: u64) -> Result<(), Error> {
        let nameless = || Error::Input { input: path.display().to_string(), what: "not a file name".into() };
        let name = path.file_name().ok_or_else(nameless)?;
        self.found.entry(full(folder_of(path))?.join(name)).or_insert((path.to_path_buf(), size));
        Ok(())
    }
}

/// Whether a file of a folder is a motion: by its extension, for .json and .toml by its content. Skeletons (.asf) belong
/// to their motions.
fn is_motion(path: &Path) -> bool {
    match path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).as_deref() {
        Some("asf") => false,
        Some("json") => beginning(path).is_some_and(|b| b.contains(OWN_JSON)),
        Some("toml") => {
            file::text(path).is_ok_and(|text| matches!(resolve::toml_kind(&text, ""), Ok(ItemKind::Motion)))
        }
        _ => motion::is_motion(path),
    }
}

fn beginning(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(BEGINNING).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The skeleton of an .amc file; `None` for other files, and if there is none.
fn skeleton_beside(path: &Path) -> Option<PathBuf> {
    path.extension().filter(|e| e.eq_ignore_ascii_case("amc"))?;
    let files = fs::read_dir(folder_of(path)).ok()?;
    let names: Vec<String> = files.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    acclaim::skeleton_candidates(&path.to_string_lossy(), &names)
        .first()
        .map(|name| path.with_file_name(name))
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// An error of the file system at a path.
fn at(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let file = path.display().to_string();
    |source| Error::File { file, source }
}

fn full(path: &Path) -> Result<PathBuf, Error> {
    fs::canonicalize(path).map_err(at(path))
}

/// Folders of a pattern before its first wildcard.
fn fixed_part(pattern: &str) -> PathBuf {
    let parts: Vec<Component> = Path::new(pattern).components().collect();
    let is_fixed = |c: &&Component| !c.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    // the last part is a file name
    let fixed = parts[..parts.len() - 1].iter().take_while(is_fixed);
    Path::new(".").join(fixed.collect::<PathBuf>())
}

/// Deepest common ancestor of folders.
fn common(folders: &[PathBuf]) -> PathBuf {
    let mut folders = folders.iter();
    let mut base = folders.next().cloned().unwrap_or_default();
    for folder in folders {
        while !folder.starts_with(&base) && base.pop() {}
    }
    base
}

fn name(full: &Path, base: &Path) -> String {
    let relative = full.strip_prefix(base).unwrap_or(full);
    let parts = relative.components().filter(|c| matches!(c, Component::Normal(_)));
    parts.map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_relative_to_the_common_folder() {
        let folders = |f: &[&str]| f.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(common(&folders(&["/a/b"])), Path::new("/a/b"));
        assert_eq!(common(&folders(&["/a/b/c", "/a/bc", "/a/b"])), Path::new("/a"));
        assert_eq!(common(&folders(&["/a", "/b"])), Path::new("/"));
        assert_eq!(name(Path::new("/a/b/x.bvh"), Path::new("/a")), "b/x.bvh");
        assert_eq!(name(Path::new("/a/b/x.bvh"), Path::new("/")), "a/b/x.bvh");
    }

    #[cfg(unix)]
    #[test]
    fn sockets_are_skipped() {
        let folder = std::env::temp_dir().join(format!("anthropi-find-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("walk.bvh"), "HIERARCHY").unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(folder.join("socket.bvh")).unwrap();
        let pattern = folder.join("*.bvh").display().to_string();
        for input in [folder.display().to_string(), pattern] {
            let found = entries(&[input], Path::new("nowhere")).unwrap();
            assert_eq!(found.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["walk.bvh"]);
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn motions_are_written_without_a_second_extension_unless_they_collide() {
        assert_eq!(outputs(&["a/x.bvh", "x.bvh", "y.v2.npz"]), ["a/x", "x", "y.v2"]);
        assert_eq!(outputs(&["x.amc", "x.bvh", "x.bvh.amc"]), ["x.amc", "x.bvh", "x.bvh.amc"]);
    }

    #[test]
    fn patterns_have_a_fixed_part() {
        for (pattern, fixed) in
            [("a/b/*.bvh", "./a/b"), ("*.bvh", "."), ("a/*/x.bvh", "./a"), ("/a/b?/c", "/a")]
        {
            assert_eq!(fixed_part(pattern), Path::new(fixed), "{pattern}");
        }
    }
}
