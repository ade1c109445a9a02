//! Expansion of `include` elements, before anything else is read.

use crate::error::Error;
use crate::file;
use crate::xml::{self, Element, MAX_BYTES, MAX_DEPTH};
use std::path::{Path, PathBuf};

/// Most included files, repetitions counted.
const MAX_FILES: usize = 256;
/// Deepest nesting of includes.
const MAX_NESTED: usize = 16;

/// Search folder of included files, and totals so far.
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
        let Some(base) = self.base else { return refuse("no include: the model was not read from a folder") };
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
        let text = self.read_text(&path, &name)?;
        Ok((path, xml::parse(&text, &name, &["mujoco", "mujocoinclude"])?))
    }

    fn read_text(&mut self, path: &Path, name: &str) -> Result<String, Error> {
        let limit = MAX_BYTES.saturating_sub(self.bytes);
        let bytes =
            file::bytes_up_to(path, limit).map_err(|source| Error::File { file: name.into(), source })?;
        let Some(bytes) = bytes else {
            let size = std::fs::metadata(path).map_or(0, |data| data.len());
            return Err(Error::TooLarge { file: name.into(), size, limit });
        };
        self.bytes += bytes.len() as u64;
        String::from_utf8(bytes)
            .map_err(|e| Error::Encoding { file: name.into(), at: e.utf8_error().valid_up_to() })
    }
}
