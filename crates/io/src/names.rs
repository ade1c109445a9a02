//! Names: what to say when one is not known, and how many there are of what has one.

use std::fmt;

/// Similarity (Jaro-Winkler, 0 to 1) from which a name is worth suggesting: one or two slips in a short word.
const NEAR: f64 = 0.8;
/// Most names to list in a message.
const MAX_LISTED: usize = 60;

/// Says that there is no `name` among `all`, which ones are near, and what there is.
pub fn unknown<'a>(what: &str, name: &str, all: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<&str> = all.into_iter().collect();
    let near = |other: &&str| strsim::jaro_winkler(&name.to_lowercase(), &other.to_lowercase());
    let best = all.iter().max_by(|a, b| near(a).total_cmp(&near(b))).filter(|n| near(n) >= NEAR);
    let hint = best.map_or(".".into(), |n| format!("; did you mean `{n}`?"));
    format!("there is no {what} `{name}`{hint} There is: {}", listed(&all))
}

/// "1 link", "3 links", "0 entries".
pub fn counted(n: impl Copy + fmt::Display + PartialEq + From<u8>, what: &str) -> String {
    if n == 1.into() {
        return format!("1 {what}");
    }
    match what.strip_suffix('y') {
        Some(stem) => format!("{n} {stem}ies"),
        None if what.ends_with("ch") => format!("{n} {what}es"),
        None => format!("{n} {what}s"),
    }
}

fn listed(all: &[&str]) -> String {
    match all.len() {
        0 => "nothing".into(),
        n if n > MAX_LISTED => format!("{}, and {} more", all[..MAX_LISTED].join(", "), n - MAX_LISTED),
        _ => all.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_many() {
        assert_eq!(counted(1_usize, "link"), "1 link");
        assert_eq!(counted(0_u64, "frame"), "0 frames");
        assert_eq!(counted(2_usize, "entry"), "2 entries");
        assert_eq!(counted(3_usize, "stretch"), "3 stretches");
    }

    #[test]
    fn near_names_are_suggested_and_all_are_listed() {
        let all = ["left_knee", "right_hip"];
        assert_eq!(
            unknown("joint", "left_kne", all),
            "there is no joint `left_kne`; did you mean `left_knee`? There is: left_knee, right_hip"
        );
        assert_eq!(unknown("joint", "tail", all), "there is no joint `tail`. There is: left_knee, right_hip");
    }
}
