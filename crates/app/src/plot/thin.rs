//! Decimation of a line without visible change: each bucket keeps its minimum and maximum.

use super::Series;

impl Series {
    /// Keeps about `most` points, including extremes, ends and gaps.
    pub fn thinned(mut self, most: usize) -> Series {
        let total = self.points.len();
        if total <= most {
            return self;
        }
        let mut kept = Vec::with_capacity(most + 8);
        for run in self.points.chunk_by(|a, b| a.1.is_finite() == b.1.is_finite()) {
            match run {
                [first, ..] if !first.1.is_finite() => kept.push(*first),
                run => thin(run, (most * run.len()).div_ceil(total), &mut kept),
            }
        }
        self.points = kept;
        self
    }
}

fn thin(run: &[(f64, f64)], most: usize, kept: &mut Vec<(f64, f64)>) {
    let buckets = (most / 2).max(1);
    let from = kept.len();
    kept.extend(run.first());
    for bucket in run.chunks(run.len().div_ceil(buckets).max(1)) {
        let at = |better: fn(f64, f64) -> bool| {
            (0..bucket.len()).reduce(|a, b| if better(bucket[b].1, bucket[a].1) { b } else { a })
        };
        let (low, high) = (at(|a, b| a < b).unwrap_or(0), at(|a, b| a > b).unwrap_or(0));
        kept.push(bucket[low.min(high)]);
        if low != high {
            kept.push(bucket[low.max(high)]);
        }
    }
    kept.extend(run.last());
    let mut tail = kept.split_off(from);
    tail.dedup();
    kept.append(&mut tail);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_ends_and_gaps_are_kept() {
        let mut points: Vec<(f64, f64)> =
            (0..50_000).map(|k| (f64::from(k), (f64::from(k) * 0.01).sin())).collect();
        (points[31_234].1, points[7].1, points[49_999].1) = (9.0, -9.0, 0.25);
        points[20_000..20_100].fill((20_000.0, f64::NAN));
        let thin = Series { name: "a".into(), points: points.clone() }.thinned(1500);
        assert!((500..1600).contains(&thin.points.len()), "{}", thin.points.len());
        for k in [0, 7, 31_234, 49_999] {
            assert!(thin.points.contains(&points[k]), "{k}");
        }
        assert_eq!(thin.points.iter().filter(|p| p.1.is_nan()).count(), 1);
        let finite: Vec<f64> = thin.points.iter().filter(|p| p.1.is_finite()).map(|p| p.0).collect();
        assert!(finite.windows(2).all(|w| w[0] < w[1]), "times increase");
    }
}
