//! Figures written inside a scene.
//!
//! The figure reader gets a text with the lines of all other tables emptied and `[[figure.link]]` turned into `[[link]]`,
//! so that lines and columns in its errors are those of the scene.

use anthropi_formats::Error;
use anthropi_formats::Loaded;
use anthropi_formats::fields::Field;
use anthropi_formats::figure;

/// Keys of an inline figure.
pub const KEYS: [&str; 2] = ["link", "connect"];

/// Tables at the top of a scene.
const TABLES: [&str; 9] =
    ["figure", "connect", "control", "event", "ground", "material", "pair", "collide", "walk"];

/// Reads the inline parts of the `index`-th figure of a scene.
pub fn read(text: &str, file: &str, index: usize, name: &str, link: &Field) -> Result<Loaded, Error> {
    let own = cut_out(text, index, name);
    match own.contains("[[link]]") {
        true => figure::read(&own, file),
        false => Err(link.wrong("is not written as tables [[figure.link]]")),
    }
}

fn cut_out(text: &str, index: usize, name: &str) -> String {
    let mut out = String::with_capacity(text.len() + name.len());
    let (mut figures, mut is_own) = (0, false);
    for line in text.lines() {
        let trimmed = line.trim_start();
        if let Some(path) = header(trimmed) {
            let is_entry = path == "figure" && trimmed.starts_with("[[");
            figures += usize::from(is_entry);
            let below = path.strip_prefix("figure.").filter(|_| figures == index + 1);
            is_own = below.is_some_and(|p| KEYS.contains(&p.split('.').next().unwrap_or(p)));
            if is_entry && figures == index + 1 {
                out.push_str(&format!("name = {}", toml::Value::from(name)));
            } else if is_own {
                out.push_str(&line.replacen("figure.", "", 1));
            }
        } else if is_own {
            out.push_str(line);
        }
        out.push('\n');
    }
    out
}

/// The dotted name in the header of a table.
fn header(trimmed: &str) -> Option<&str> {
    let inner = trimmed.strip_prefix("[[").or_else(|| trimmed.strip_prefix('['))?;
    let path = inner.split(']').next()?.trim();
    TABLES.contains(&path.split('.').next()?).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_stay() {
        let text = "dt = 1\n[[figure]]\nuse = \"x\"\n[[figure]]\nrole = \"y\"\n[[figure.link]]\nname = \"a\"\n\
                    [figure.link.joint]\nrange = [\n[1, 2],\n]\n[[event]]\nat = 1\n";
        let own = cut_out(text, 1, "n");
        let lines: Vec<&str> = own.lines().collect();
        assert_eq!(lines.len(), text.lines().count());
        assert_eq!(lines[3], "name = \"n\"");
        assert_eq!(lines[5], "[[link]]");
        assert_eq!(lines[6], "name = \"a\"");
        assert_eq!(lines[7], "[link.joint]");
        assert_eq!(lines[9], "[1, 2],");
        assert!(lines[..3].iter().chain(&lines[11..]).all(|l| l.is_empty()), "{lines:?}");
    }
}
