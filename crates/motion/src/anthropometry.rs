//! Masses, centres and inertias of body segments as parts of a person's mass and segment lengths.
//!
//! Source: [dL1996 Table 4], from gamma-ray scans of 100 men and 15 women, mean age 24 and 19. Segments end at joint
//! centres or bony landmarks; the centre is measured from the first. Lengths are sample means, used where a skeleton
//! lacks an end of a segment. Radii of gyration are parts of the segment's length, about axes through the centre:
//! sagittal (pointing forward), transverse (sideways), longitudinal.
//! [W2009 ch. 4] for the lengths of the leg, the height of the ankle and the size of the foot as parts of the stature.
//! Not here: which bone is which segment (`anatomy`), building a figure (`person`).
//! Checked by: tests below (masses add up; values the table gives twice agree).

/// Sex of the reference sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sex {
    /// mean of the women
    Female,
    /// mean of the men
    Male,
    /// mean of both
    #[default]
    Unknown,
}

/// A segment of the tables.
#[allow(missing_docs)] // the names say it
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment {
    /// from the crown to the seventh cervical vertebra, including the neck
    Head,
    /// from there to the end of the breastbone
    UpperTrunk,
    /// from there to the navel
    MiddleTrunk,
    /// from there to the middle of the hips
    LowerTrunk,
    UpperArm,
    Forearm,
    /// from the wrist to the third finger's tip
    Hand,
    Thigh,
    Shank,
    /// from the heel to the longest toe's tip
    Foot,
}

/// Inertial parameters of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// part of the person's mass
    pub mass: f64,
    /// part of the segment's length from its upper (proximal, rear) end to the centre of mass
    pub center: f64,
    /// radii of gyration about the sagittal, transverse and longitudinal axis, parts of the segment's length
    pub radius: [f64; 3],
    /// part of the person's stature
    pub length: f64,
}

/// Mean stature of the women and men, mm. [dL1996 Table 4]
const STATURE: [f64; 2] = [1735.0, 1741.0];
/// Mean mass of the women and men, kg. [dL1996 Table 4]
const MASS: [f64; 2] = [61.9, 73.0];
/// Hip to ankle, part of the stature: hips at 0.530, ankles at 0.039 of it. [W2009 ch. 4]
pub const LEG: f64 = 0.491;
/// Height of the ankle above the sole, part of the stature. [W2009 ch. 4]
pub const ANKLE: f64 = 0.039;
/// Length of the foot, part of the stature. [W2009 ch. 4]
pub const FOOT_LENGTH: f64 = 0.152;
/// Breadth of the foot, part of the stature. [W2009 ch. 4]
pub const FOOT_BREADTH: f64 = 0.055;

/// Height of the metatarsal joint above the sole, part of the stature: two centimetres.
pub const BALL: f64 = 0.012;
/// Distance of the heel behind the ankle, part of the stature: five centimetres.
pub const HEEL: f64 = 0.03;

/// Women and men: mass %, centre %, radii % (sagittal, transverse, longitudinal), length mm. [dL1996 Table 4]
fn rows(segment: Segment) -> [[f64; 6]; 2] {
    match segment {
        Segment::Head => [[6.68, 48.41, 27.1, 29.5, 26.1, 243.7], [6.94, 50.02, 30.3, 31.5, 26.1, 242.9]],
        Segment::UpperTrunk => {
            [[15.45, 50.50, 46.6, 31.4, 44.9, 228.0], [15.96, 50.66, 50.5, 32.0, 46.5, 242.1]]
        }
        Segment::MiddleTrunk => {
            [[14.65, 45.12, 43.3, 35.4, 41.5, 205.3], [16.33, 45.02, 48.2, 38.3, 46.8, 215.5]]
        }
        Segment::LowerTrunk => {
            [[12.47, 49.20, 43.3, 40.2, 44.4, 181.5], [11.17, 61.15, 61.5, 55.1, 58.7, 145.7]]
        }
        Segment::UpperArm => [[2.55, 57.54, 27.8, 26.0, 14.8, 275.1], [2.71, 57.72, 28.5, 26.9, 15.8, 281.7]],
        Segment::Forearm => [[1.38, 45.59, 26.1, 25.7, 9.4, 264.3], [1.62, 45.74, 27.6, 26.5, 12.1, 268.9]],
        Segment::Hand => [[0.56, 34.27, 24.4, 20.8, 15.4, 170.1], [0.61, 36.24, 28.8, 23.5, 18.4, 187.9]],
        Segment::Thigh => [[14.78, 36.12, 36.9, 36.4, 16.2, 368.5], [14.16, 40.95, 32.9, 32.9, 14.9, 422.2]],
        Segment::Shank => [[4.81, 43.52, 26.7, 26.3, 9.2, 432.3], [4.33, 43.95, 25.1, 24.6, 10.2, 434.0]],
        Segment::Foot => [[1.29, 40.14, 29.9, 27.9, 13.9, 228.3], [1.37, 44.15, 25.7, 24.5, 12.4, 258.1]],
    }
}

/// Table row of a segment.
pub fn share(segment: Segment, sex: Sex) -> Share {
    let [female, male] = rows(segment);
    let mean = |k: usize| by_sex(sex, [female[k], male[k]]);
    Share {
        mass: mean(0) / 100.0,
        center: mean(1) / 100.0,
        radius: [mean(2) / 100.0, mean(3) / 100.0, mean(4) / 100.0],
        length: by_sex(sex, [female[5] / STATURE[0], male[5] / STATURE[1]]),
    }
}

/// Height of the shoulders over that of the seventh cervical vertebra, both above the hips: trunk lengths from both,
/// mm. [dL1996 Table 4]
pub fn shoulders(sex: Sex) -> f64 {
    by_sex(sex, [497.9 / 614.8, 515.5 / 603.3])
}

/// Mass of a person of a stature (m) with the body mass index of the tables, kg.
pub fn mass(stature: f64, sex: Sex) -> f64 {
    let index = |k: usize| MASS[k] / (STATURE[k] * 1e-3).powi(2);
    by_sex(sex, [index(0), index(1)]) * stature * stature
}

fn by_sex(sex: Sex, [female, male]: [f64; 2]) -> f64 {
    match sex {
        Sex::Female => female,
        Sex::Male => male,
        Sex::Unknown => 0.5 * (female + male),
    }
}

#[cfg(test)]
mod tests {
    use super::Segment::*;
    use super::*;

    /// The table is rounded to a hundredth of a percent, so sums are right to a few of them.
    const PRINTED: f64 = 5e-4;

    #[test]
    fn masses_add_up() {
        for sex in [Sex::Female, Sex::Male, Sex::Unknown] {
            let once = [Head, UpperTrunk, MiddleTrunk, LowerTrunk].map(|s| share(s, sex).mass);
            let twice = [UpperArm, Forearm, Hand, Thigh, Shank, Foot].map(|s| share(s, sex).mass);
            let sum = once.iter().sum::<f64>() + 2.0 * twice.iter().sum::<f64>();
            assert!((sum - 1.0).abs() < PRINTED, "{sex:?}: {sum}");
        }
    }

    #[test]
    fn the_trunk_in_three_parts_is_the_whole_trunk() {
        // [dL1996 Table 4] also lists the whole trunk: mass %, centre from the seventh cervical vertebra %, length mm
        let whole = [(Sex::Female, 42.57, 49.64, 614.8), (Sex::Male, 43.46, 51.38, 603.3)];
        for (k, (sex, mass, center, length)) in whole.into_iter().enumerate() {
            let (mut top, mut sum, mut moment) = (0.0, 0.0, 0.0);
            for s in [UpperTrunk, MiddleTrunk, LowerTrunk].map(|s| share(s, sex)) {
                sum += s.mass;
                moment += s.mass * (top + s.center * s.length * STATURE[k]);
                top += s.length * STATURE[k];
            }
            assert!((sum - mass / 100.0).abs() < PRINTED, "{sex:?} mass {sum}");
            assert!((top - length).abs() < 0.2, "{sex:?} length {top}");
            // whole and parts in the table differ by half a per cent of the length
            assert!(
                (moment / sum / length - center / 100.0).abs() < 6e-3,
                "{sex:?} centre {}",
                moment / sum / length
            );
        }
    }

    #[test]
    fn the_trunk_from_the_shoulders_has_the_same_centre() {
        // the table gives the centre at 37.82 and 43.10 % from the shoulders, 49.64 and 51.38 % from the vertebra
        for (sex, from_shoulders, from_vertebra) in
            [(Sex::Female, 0.3782, 0.4964), (Sex::Male, 0.4310, 0.5138)]
        {
            let shorter = shoulders(sex);
            let difference = (1.0 - from_vertebra) - shorter * (1.0 - from_shoulders);
            assert!(difference.abs() < PRINTED, "{sex:?}: {difference}");
        }
    }

    #[test]
    fn people_of_mean_height_have_the_mean_mass() {
        assert!((mass(1.741, Sex::Male) - 73.0).abs() < 1e-9);
        assert!((mass(1.735, Sex::Female) - 61.9).abs() < 1e-9);
    }
}
