//! Thumbnails of all library items by name, as JSON: `studio-thumbnails > FILE.json`.

use anthropi_studio::{Error, library, thumbnail};
use std::collections::BTreeMap;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let all: BTreeMap<&str, String> = library::items()
        .into_iter()
        .map(|item| Ok((item.name, thumbnail::draw(item.name)?)))
        .collect::<Result<_, Error>>()?;
    println!("{}", serde_json::to_string(&all)?);
    Ok(())
}
