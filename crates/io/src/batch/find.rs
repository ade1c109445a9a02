//! Which motions are meant: folders with all below them, files, patterns.

use super::hash::Fnv;
use crate::error::Error;
use crate::{acclaim, keyed, load, motion};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// A clip of our own says within so many bytes what it is...
const BEGINNING: u64 = 256;
/// ...by this word.
const OWN_JSON: &str = "anthropi clip";

/// A motion to work on.
#[derive(Clone, Debug)]
pub struct Entry {
    /// path relative to the folder that was given, with `/` between; unique, and where outputs go
    pub name: String,
    /// where the file is
    pub path: PathBuf,
    /// of the file, bytes
    pub size: u64,
}

impl Entry {
    /// Fingerprint of all that the motion is read from: the file, and the skeleton of an .amc.
    ///
    /// # Errors
    /// What the file system says.
    pub fn content(&self, options: &motion::Options) -> Result<Fnv, Error> {
        let hash = Fnv::default().then(&load::bytes(&self.path)?);
        // one that is given is among the settings
        let skeleton = if options.skeleton.is_none() { skeleton_beside(&self.path) } else { None };
        Ok(match skeleton {
            Some(path) => hash.then(&load::bytes(&path)?),
            None => hash,
        })
    }

    /// Its path as a name.
    ///
    /// # Errors
    /// A path that is no text.
    pub fn input(&self) -> Result<&str, Error> {
        let what = "its name is not UTF-8";
        self.path.to_str().ok_or_else(|| Error::Input { input: self.name.clone(), what: what.into() })
    }

    /// Where an output of this motion goes: `folder/NAME.ending`. The motion's own ending stays, so that `x.bvh` and
    /// `x.amc` have outputs of their own.
    pub fn output(&self, folder: &Path, ending: &str) -> PathBuf {
        folder.join(format!("{}.{ending}", self.name))
    }
}

/// All motions of the inputs, sorted by name, each once. What is in `out` is no input.
///
/// # Errors
/// Inputs that are not there; folders that cannot be read; no motion in all of them.
pub fn entries(inputs: &[String], out: &Path) -> Result<Vec<Entry>, Error> {
    let mut walk = Walk { out: fs::canonicalize(out).ok(), found: BTreeMap::new(), bases: Vec::new() };
    for input in inputs {
        walk.input(input)?;
    }
    if walk.found.is_empty() {
        return Err(Error::NoMotions { inputs: inputs.join(", "), expected: motion::MOTIONS_IN });
    }
    let base = common(&walk.bases);
    let named =
        walk.found.into_iter().map(|(full, (path, size))| Entry { name: name(&full, &base), path, size });
    let mut entries: Vec<Entry> = named.collect();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// What was found so far.
struct Walk {
    /// full path of the folder for outputs, where it exists
    out: Option<PathBuf>,
    /// by full path: as it was given, and the size
    found: BTreeMap<PathBuf, (PathBuf, u64)>,
    /// full paths of folders that were given, or hold files that were given
    bases: Vec<PathBuf>,
}

impl Walk {
    fn input(&mut self, input: &str) -> Result<(), Error> {
        let path = Path::new(input);
        match fs::metadata(path) {
            Ok(about) if about.is_dir() => {
                if self.out == Some(full(path)?) {
                    return Err(Error::OutIsIn { folder: input.into() });
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

    /// Files by pattern, and folders with all below them.
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

    /// All below a folder. `above` are the full paths of folders on the way here: links may lead back to them.
    fn folder(&mut self, folder: &Path, above: &mut Vec<PathBuf>) -> Result<(), Error> {
        let here = full(folder)?;
        if above.contains(&here) || self.out.as_ref() == Some(&here) {
            return Ok(());
        }
        above.push(here);
        for entry in fs::read_dir(folder).map_err(at(folder))? {
            let path = entry.map_err(at(folder))?.path();
            // a link that leads nowhere is nothing
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

    /// A file keeps the name it has in its folder, even if that is a link.
    fn add(&mut self, path: &Path, size: u64) -> Result<(), Error> {
        let nameless =
            || Error::Input { input: path.display().to_string(), what: "no name of a file".into() };
        let name = path.file_name().ok_or_else(nameless)?;
        self.found.entry(full(folder_of(path))?.join(name)).or_insert((path.to_path_buf(), size));
        Ok(())
    }
}

/// Whether a file of a folder is meant: by its ending, and where that says little by its content. Skeletons belong to
/// their motions. Pipes and sockets are no files: reading them may never end.
fn is_motion(path: &Path) -> bool {
    match path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).as_deref() {
        Some("asf") => false,
        Some("json") => beginning(path).is_some_and(|b| b.contains(OWN_JSON)),
        Some("toml") => load::text(path).is_ok_and(|text| keyed::is_keyed(&text)),
        _ => motion::is_motion(path),
    }
}

fn beginning(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(BEGINNING).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The skeleton that the reader of an .amc file takes; `None` for others, and where there is none.
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

/// What the file system says of a path.
fn at(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let file = path.display().to_string();
    |source| Error::File { file, source }
}

fn full(path: &Path) -> Result<PathBuf, Error> {
    fs::canonicalize(path).map_err(at(path))
}

/// The folders of a pattern before its first wildcard.
fn fixed_part(pattern: &str) -> PathBuf {
    let parts: Vec<Component> = Path::new(pattern).components().collect();
    let is_fixed = |c: &&Component| !c.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    // the last part is a file's name, wild or not
    let fixed = parts[..parts.len() - 1].iter().take_while(is_fixed);
    Path::new(".").join(fixed.collect::<PathBuf>())
}

/// The deepest folder that has all of some inside.
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
    fn names_begin_below_what_all_have_in_common() {
        let folders = |f: &[&str]| f.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(common(&folders(&["/a/b"])), Path::new("/a/b"));
        assert_eq!(common(&folders(&["/a/b/c", "/a/bc", "/a/b"])), Path::new("/a"));
        assert_eq!(common(&folders(&["/a", "/b"])), Path::new("/"));
        assert_eq!(name(Path::new("/a/b/x.bvh"), Path::new("/a")), "b/x.bvh");
        assert_eq!(name(Path::new("/a/b/x.bvh"), Path::new("/")), "a/b/x.bvh");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_no_motion() {
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
    fn patterns_have_a_fixed_part() {
        for (pattern, fixed) in
            [("a/b/*.bvh", "./a/b"), ("*.bvh", "."), ("a/*/x.bvh", "./a"), ("/a/b?/c", "/a")]
        {
            assert_eq!(fixed_part(pattern), Path::new(fixed), "{pattern}");
        }
    }
}
