//! Names and counts in messages.

use std::collections::HashSet;

/// Least similarity (Jaro-Winkler, 0 to 1) of a suggested name: one or two typos in a short word.
const NEAR: f64 = 0.8;
/// Most names to list in a message.
const MAX_LISTED: usize = 60;
/// Most names to list in a note.
const MAX_IN_NOTE: usize = 8;
/// Most characters of a file quoted in a message.
const MAX_QUOTE: usize = 60;

/// Message for an unknown `name`: the most similar known one and the list of all.
pub fn unknown<'a>(what: &str, name: &str, all: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<&str> = all.into_iter().collect();
    let near = |other: &&str| strsim::jaro_winkler(&name.to_lowercase(), &other.to_lowercase());
    let best = all.iter().max_by(|a, b| near(a).total_cmp(&near(b))).filter(|n| near(n) >= NEAR);
    let hint = best.map_or(".".into(), |n| format!("; did you mean `{n}`?"));
    format!("there is no {what} `{name}`{hint} Available: {}", listed(&all))
}

/// "1 link", "3 links", "0 entries".
pub fn counted(n: impl Copy + std::fmt::Display + PartialEq + From<u8>, what: &str) -> String {
    if n == 1.into() {
        return format!("1 {what}");
    }
    match what.strip_suffix('y') {
        Some(stem) => format!("{n} {stem}ies"),
        None if what.ends_with("ch") => format!("{n} {what}es"),
        None => format!("{n} {what}s"),
    }
}

/// "a", "a or b", "a, b or c".
pub(crate) fn either(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// "what: a, b and 3 more"; nothing without names.
pub(crate) fn enumerated<S: AsRef<str>>(what: &str, names: impl IntoIterator<Item = S>) -> Option<String> {
    let names: Vec<S> = names.into_iter().collect();
    let shown: Vec<&str> = names.iter().take(MAX_IN_NOTE).map(AsRef::as_ref).collect();
    let more = match names.len() - shown.len() {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    (!names.is_empty()).then(|| format!("{what}: {}{more}", shown.join(", ")))
}

/// Text of a file as quoted in a message: shortened, without control characters.
pub(crate) fn clipped(text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut short: String = text.chars().take(MAX_QUOTE).map(clean).collect();
    if text.chars().nth(MAX_QUOTE).is_some() {
        short.push_str("...");
    }
    short
}

/// Name of a file without folder and ending.
pub(crate) fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(name, |(stem, _)| stem).into()
}

/// The name, with a number appended if it is taken; adds it to those taken.
pub(crate) fn unique(taken: &mut HashSet<String>, name: String) -> String {
    let numbered = (2..).map(|k| format!("{name}{k}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|n| taken.insert(n.clone()));
    free.unwrap_or(name)
}

fn listed(all: &[&str]) -> String {
    match all.len() {
        0 => "none".into(),
        n if n > MAX_LISTED => format!("{}, and {} more", all[..MAX_LISTED].join(", "), n - MAX_LISTED),
        _ => all.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_use_singular_and_plural() {
        assert_eq!(counted(1_usize, "link"), "1 link");
        assert_eq!(counted(0_u64, "frame"), "0 frames");
        assert_eq!(counted(2_usize, "entry"), "2 entries");
        assert_eq!(counted(3_usize, "stretch"), "3 stretches");
    }

    #[test]
    fn stems_have_neither_folder_nor_ending() {
        assert_eq!(
            (stem("/a/b.c/16_15.imusim.bvh"), stem("x"), stem(".bvh")),
            ("16_15.imusim".into(), "x".into(), ".bvh".into())
        );
    }

    #[test]
    fn taken_names_get_a_number() {
        let mut taken = HashSet::from(["arm".to_string(), "arm2".to_string()]);
        assert_eq!(
            (unique(&mut taken, "arm".into()), unique(&mut taken, "leg".into())),
            ("arm3".into(), "leg".into())
        );
        assert!(taken.contains("arm3") && taken.contains("leg"));
    }

    #[test]
    fn unknown_names_get_a_suggestion_and_a_list() {
        let all = ["left_knee", "right_hip"];
        assert_eq!(
            unknown("joint", "left_kne", all),
            "there is no joint `left_kne`; did you mean `left_knee`? Available: left_knee, right_hip"
        );
        assert_eq!(
            unknown("joint", "tail", all),
            "there is no joint `tail`. Available: left_knee, right_hip"
        );
    }
}
