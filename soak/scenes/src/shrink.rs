//! Reduction of failing scenes: removes everything not needed to fail in the same way.

use crate::recipe::Recipe;
use crate::watch::{Fault, run};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Removable numbers, and the resulting fault.
pub fn shrink(recipe: &Recipe, fault: &Fault, most: Duration) -> (BTreeSet<usize>, Fault) {
    let clock = Instant::now();
    let (mut out, mut last) = (BTreeSet::new(), fault.clone());
    let mut chunk = recipe.count().div_ceil(2).max(1);
    loop {
        let mut is_smaller = false;
        let mut at = 0;
        while at < recipe.count() {
            let mut tried = out.clone();
            tried.extend(at..(at + chunk).min(recipe.count()));
            if tried.len() > out.len() && clock.elapsed() < most {
                let mut small = recipe.without(&tried);
                small.steps = last.step + 1;
                if let Err(f) = run(&small, &mut |_| ())
                    && f.kind == fault.kind
                {
                    (out, last, is_smaller) = (tried, f, true);
                }
            }
            at += chunk;
        }
        if clock.elapsed() >= most || (chunk == 1 && !is_smaller) {
            return (out, last);
        }
        chunk = if chunk > 1 { chunk / 2 } else { 1 };
    }
}

/// In command-line form: `3,5-9`.
pub fn ranges(numbers: &BTreeSet<usize>) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &n in numbers {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == n => *end = n,
            _ => runs.push((n, n)),
        }
    }
    let text = |(a, b): &(usize, usize)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    runs.iter().map(text).collect::<Vec<_>>().join(",")
}

/// Reads [`ranges`].
pub fn numbers(text: &str) -> Option<BTreeSet<usize>> {
    let mut all = BTreeSet::new();
    for part in text.split(',').filter(|p| !p.is_empty()) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        all.extend(from.parse::<usize>().ok()?..=to.parse::<usize>().ok()?);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Kind;

    #[test]
    fn numbers_read_back() {
        let all: BTreeSet<usize> = [3, 5, 6, 7, 9].into();
        assert_eq!(ranges(&all), "3,5-7,9");
        assert_eq!(numbers("3,5-7,9"), Some(all));
        assert_eq!(numbers("3,x"), None);
    }

    #[test]
    fn a_fault_is_found_and_made_small() {
        // steps of zero length are rejected: the rest of the scene is irrelevant
        let mut recipe = Recipe::new(3, 5, Some(crate::recipe::Family::Trees));
        recipe.dt = 0.0;
        let fault = run(&recipe, &mut |_| ()).unwrap_err();
        assert_eq!(fault.kind, Kind::Diverged);
        let (out, last) = shrink(&recipe, &fault, Duration::from_secs(5));
        assert_eq!(last.kind, Kind::Diverged);
        assert!(out.len() + 4 > recipe.count(), "{} of {} are left out", out.len(), recipe.count());
    }
}
