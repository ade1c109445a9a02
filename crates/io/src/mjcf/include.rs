//! `include`: replaced by what the named file holds, before anything else is read.

use crate::error::Error;
use crate::xml::{self, Element, MAX_BYTES, MAX_DEPTH};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Most files, each counted as often as it is included.
const MAX_FILES: usize = 256;
/// Most files inside each other.
const MAX_NESTED: usize = 16;

/// Where included files are looked for, and what was taken so far.
struct Budget<'a> {
    base: Option<&'a Path>,
    files: usize,
    bytes: u64,
    /// files being read, outermost first
    open: Vec<PathBuf>,
}

/// Replaces every `include` in the tree.
pub(super) fn expand(model: &mut Element, base: Option<&Path>) -> Result<(), Error> {
    let mut budget = Budget { base, files: 0, bytes: 0, open: Vec::new() };
    expand_below(model, 1, &mut budget)
}

fn expand_below(element: &mut Element, depth: usize, budget: &mut Budget) -> Result<(), Error> {
    if depth > MAX_DEPTH {
        return Err(xml::too_deep(&element.file, element.place));
    }
    if !element.children.iter().any(|c| c.name == "include") {
        return element.children.iter_mut().try_for_each(|c| expand_below(c, depth + 1, budget));
    }
    for mut child in std::mem::take(&mut element.children) {
        if child.name == "include" {
            let (path, mut content) = budget.open(&child)?;
            budget.open.push(path);
            expand_below(&mut content, depth, budget)?;
            budget.open.pop();
            element.children.append(&mut content.children);
        } else {
            expand_below(&mut child, depth + 1, budget)?;
            element.children.push(child);
        }
    }
    Ok(())
}

impl Budget<'_> {
    fn open(&mut self, include: &Element) -> Result<(PathBuf, Element), Error> {
        let value = include.require("file")?;
        let refuse = |what: &str| Err(value.wrong(what));
        let Some(base) = self.base else { return refuse("no include: there is no folder to look in") };
        let path = base.join(value.text().replace('\\', "/"));
        if self.open.len() >= MAX_NESTED {
            return refuse(&format!("includes nested at most {MAX_NESTED} deep"));
        }
        if self.open.contains(&path) {
            return refuse("a file that does not include itself");
        }
        self.files += 1;
        if self.files > MAX_FILES {
            return refuse(&format!("at most {MAX_FILES} included files"));
        }
        let name = path.display().to_string();
        let text = self.text_of(&path, &name)?;
        let content = xml::parse(&text, &name)?;
        if !matches!(content.name.as_str(), "mujoco" | "mujocoinclude") {
            return Err(content.refuse("found as the outermost element, expected mujoco or mujocoinclude"));
        }
        Ok((path, content))
    }

    fn text_of(&mut self, path: &Path, name: &str) -> Result<String, Error> {
        let failed = |source| Error::File { file: name.into(), source };
        let data = std::fs::metadata(path).map_err(failed)?;
        if !data.is_file() {
            return Err(failed(std::io::Error::other("not an ordinary file")));
        }
        // the size may change while we read: what counts is what comes out
        let rest = MAX_BYTES.saturating_sub(self.bytes);
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(failed)?;
        file.take(rest + 1).read_to_end(&mut bytes).map_err(failed)?;
        self.bytes += bytes.len() as u64;
        if bytes.len() as u64 > rest {
            return Err(Error::TooLarge { file: name.into(), size: data.len(), limit: rest });
        }
        String::from_utf8(bytes)
            .map_err(|e| Error::Encoding { file: name.into(), at: e.utf8_error().valid_up_to() })
    }
}
