//! How people walk at the speed they choose: hip, knee and ankle over a cycle, mean and standard deviation, and how near a
//! walk comes to that.
//!
//! Source: [S2008: free speed], 83 typically developing people, sagittal angles in degrees, rounded to a tenth; flexion
//! and dorsiflexion are above zero, a cycle is from a foot's landing to its next.

use super::measure::Sample;
use super::walk::Walked;

/// Per cents between the rows of a joint.
const EVERY: f64 = 4.0;
const ROWS: usize = 26;

/// An angle over the cycle: mean and standard deviation, degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usual {
    /// of the joint
    pub name: &'static str,
    rows: [[f64; 2]; ROWS],
}

/// Hip, knee and ankle.
#[rustfmt::skip]
pub const USUAL: [Usual; 3] = [
    Usual { name: "hip", rows: [
        [35.8, 5.4], [35.5, 5.6], [34.2, 5.9], [31.1, 6.0], [26.9, 6.0], [22.5, 6.0], [18.1, 5.9], [13.6, 6.0], [9.3, 6.1],
        [5.3, 6.4], [1.6, 6.7], [-1.7, 6.8], [-4.4, 6.8], [-5.8, 6.8], [-4.9, 6.7], [-0.9, 6.8], [6.1, 6.6], [14.1, 6.3],
        [21.4, 6.0], [27.4, 5.7], [32.0, 5.5], [35.1, 5.4], [36.6, 5.4], [36.5, 5.5], [35.8, 5.5], [35.5, 5.5],
    ] },
    Usual { name: "knee", rows: [
        [5.6, 5.7], [10.9, 5.6], [16.9, 6.1], [19.3, 6.3], [18.6, 6.2], [16.5, 5.9], [13.9, 5.7], [11.3, 5.5], [9.0, 5.5],
        [7.2, 5.7], [6.2, 5.7], [6.8, 5.7], [9.5, 5.6], [14.5, 5.8], [22.6, 6.2], [33.9, 6.6], [46.3, 6.4], [55.7, 5.7],
        [59.1, 5.9], [56.9, 6.8], [49.8, 7.8], [38.8, 8.5], [25.5, 8.7], [12.5, 8.1], [4.6, 6.6], [5.4, 5.6],
    ] },
    Usual { name: "ankle", rows: [
        [-2.1, 5.6], [-5.6, 4.8], [-4.1, 4.0], [-0.2, 4.0], [2.9, 4.0], [5.2, 3.8], [6.8, 3.7], [8.0, 3.8], [9.1, 3.9],
        [10.2, 4.1], [11.1, 4.4], [11.8, 4.7], [11.5, 5.2], [8.4, 6.2], [-0.2, 8.3], [-13.8, 9.5], [-19.8, 8.8], [-14.7, 8.2],
        [-7.9, 6.8], [-2.4, 5.7], [1.1, 4.9], [2.5, 4.2], [1.8, 4.1], [0.1, 4.7], [-1.1, 5.3], [-2.3, 5.4],
    ] },
];

impl Usual {
    /// Mean and standard deviation at a per cent of the cycle, degrees.
    pub fn at(&self, percent: f64) -> [f64; 2] {
        let x = (percent / EVERY).clamp(0.0, (ROWS - 1) as f64);
        let n = (x as usize).min(ROWS - 2);
        let ([a, s], [b, t]) = (self.rows[n], self.rows[n + 1]);
        let part = x - n as f64;
        [a + part * (b - a), s + part * (t - s)]
    }
}

/// How near a joint comes to people's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearness {
    /// of the joint
    pub name: &'static str,
    /// parts of the cycle within one and within two standard deviations
    pub within: [f64; 2],
    /// farthest from the mean, degrees, above it or below it...
    pub farthest: f64,
    /// ...and at which per cent of the cycle
    pub at: f64,
}

/// An angle of a sample that [`USUAL`] has, in the same order, degrees.
pub fn angle(sample: &Sample, joint: usize, side: usize) -> f64 {
    [sample.hip, sample.knee, sample.ankle][joint][side].to_degrees()
}

impl Walked {
    /// Hip, knee and ankle against people's, over the mean cycles of both legs; empty where there is none.
    pub fn nearness(&self) -> Vec<Nearness> {
        let both = |joint: usize| {
            let legs = [0, 1].map(|side| self.mean_cycle(side, |s| angle(s, joint, side)));
            legs.concat()
        };
        USUAL.iter().enumerate().filter_map(|(joint, usual)| nearness(usual, &both(joint))).collect()
    }
}

fn nearness(usual: &Usual, points: &[(f64, f64)]) -> Option<Nearness> {
    let off = points.iter().map(|(percent, angle)| {
        let [mean, deviation] = usual.at(*percent);
        (*percent, angle - mean, deviation)
    });
    let within = |times: f64| {
        let count = off.clone().filter(|(_, off, deviation)| off.abs() <= times * deviation).count();
        count as f64 / points.len() as f64
    };
    let (at, farthest, _) = off.clone().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    Some(Nearness { name: usual.name, within: [within(1.0), within(2.0)], farthest, at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_near_to_themselves_and_far_from_others() {
        for usual in &USUAL {
            let own: Vec<(f64, f64)> = (0..=100).map(f64::from).map(|p| (p, usual.at(p)[0])).collect();
            let near = nearness(usual, &own).unwrap();
            assert_eq!((near.within, near.farthest), ([1.0; 2], 0.0));
            let off: Vec<(f64, f64)> = own.iter().map(|(p, x)| (*p, x - 1.5 * usual.at(*p)[1])).collect();
            let near = nearness(usual, &off).unwrap();
            assert!(near.within == [0.0, 1.0] && near.farthest < 0.0);
        }
        assert_eq!(nearness(&USUAL[0], &[]), None);
        assert!((USUAL[1].at(2.0)[0] - 8.25).abs() < 1e-12 && USUAL[1].at(100.0)[0] == 5.4);
    }
}
