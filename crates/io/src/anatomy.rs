//! Which bone or link is which part of the body, as a user says it where names and shape do not tell.
//!
//! ```toml
//! [parts]
//! "LeftUpLeg" = "left_thigh"
//! "Bone.012" = "head"
//! ```

use crate::error::Error;
use crate::fields::{Source, Table};
use anthropi_motion::anatomy::Part;

/// Longest text we read: a line for every bone there may be.
const MAX_BYTES: usize = 1 << 20;

/// Names of bones or links with the part each is.
///
/// # Errors
/// Broken TOML, another key than `parts`, a value that is no part: with file, line and field.
pub fn read(text: &str, file: &str) -> Result<Vec<(String, Part)>, Error> {
    let source = Source { file, text };
    let whole = source.parse(MAX_BYTES)?;
    let root = Table::root(&source, &whole);
    root.allow(&[&["parts"]])?;
    let parts = root.require("parts", "a table of names and the part each is")?.table("parts")?;
    let named: Vec<(String, Part)> = Part::all().map(|p| (p.to_string(), p)).collect();
    let words: Vec<(&str, Part)> = named.iter().map(|(n, p)| (n.as_str(), *p)).collect();
    let names = whole.get_ref().get("parts").and_then(|v| v.get_ref().as_table());
    let names = names.into_iter().flat_map(|t| t.keys());
    names
        .map(|n| Ok((n.get_ref().to_string(), parts.require(n.get_ref(), "a part")?.word(&words)?)))
        .collect()
}
