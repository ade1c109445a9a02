//! Recordings of any skeleton and size go through figure, forces, certificate and page without a panic, and no number
//! that comes out is not one.

use anthropi_app::assessment::Assessment;
use anthropi_app::report::page;
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_motion::certificate::Certificate;
use anthropi_motion::inverse::{self, Inverse, Smoothing};
use anthropi_motion::person::{Options, Person};
use anthropi_motion::recording::{Bone, Channel, Convention, Recording, Skeleton, Up};

/// Seeds that are tried.
const SEEDS: u64 = 400;
const NAMES: [&str; 20] = [
    "Hips",
    "LeftUpLeg",
    "LeftLeg",
    "LeftFoot",
    "LeftToeBase",
    "RightUpLeg",
    "RightLeg",
    "RightFoot",
    "Spine",
    "Spine1",
    "Neck",
    "Head",
    "LeftShoulder",
    "LeftArm",
    "LeftForeArm",
    "LeftHand",
    "RightArm",
    "RightForeArm",
    "RightHand",
    "x<y>&",
];
/// Parents of the bones above in a person.
const PARENTS: [usize; 20] = [0, 0, 1, 2, 3, 0, 5, 6, 0, 8, 9, 10, 9, 12, 13, 14, 9, 16, 17, 0];

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    fn vector(&mut self, size: f64) -> Vec3 {
        vec3(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5).scale(2.0 * size)
    }
}

/// A skeleton that is nearly a person's or none at all, moving smoothly or wildly.
fn recording(seed: u64) -> Recording {
    let mut r = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    let bones = 1 + r.below(NAMES.len());
    let is_person = r.unit() < 0.7;
    let size = [0.0, 1e-6, 0.3, 0.3, 0.3, 0.3, 1e3, 1e150][r.below(8)];
    let mut skeleton = Skeleton::default();
    for i in 0..bones {
        let parent = if is_person { PARENTS[i].min(i.saturating_sub(1)) } else { r.below(i.max(1)) };
        let way = if is_person {
            vec3(0.0, 0.1 * (r.unit() - 0.5), if i < 8 { -1.0 } else { 1.0 })
        } else {
            r.vector(1.0)
        };
        skeleton.bones.push(Bone {
            name: if r.unit() < 0.9 { NAMES[i].into() } else { format!("b{}", r.below(5)) },
            parent: (i > 0).then_some(parent),
            offset: if r.unit() < 0.1 { Vec3::ZERO } else { way.scale(size) },
            end: (r.unit() < 0.3).then(|| r.vector(size)),
            channels: vec![Channel::Rotation(0), Channel::Rotation(1), Channel::Rotation(2)],
        });
    }
    let frames = [0, 1, 2, 3, 5, 7, 40, 40, 120][r.below(9)];
    let wild = if r.unit() < 0.3 { 3.0 } else { 0.2 };
    let phases: Vec<Vec3> = (0..bones).map(|_| r.vector(wild)).collect();
    let (mut rotations, mut positions) = (Vec::new(), Vec::new());
    let is_flat = r.unit() < 0.2;
    for f in 0..frames {
        let s = if is_flat { 0.0 } else { (f as f64 * 0.2).sin() };
        for i in 0..bones {
            let jitter = if wild > 1.0 { r.vector(0.5) } else { Vec3::ZERO };
            rotations.push(Quat::exp(phases[i].scale(s) + jitter));
            let travel = if i == 0 { vec3(0.02 * f as f64, 0.0, size) } else { skeleton.bones[i].offset };
            positions.push(travel);
        }
    }
    let rest = (r.unit() < 0.3 && frames > 0)
        .then(|| (vec![Quat::IDENTITY; bones], skeleton.bones.iter().map(|b| b.offset).collect()));
    Recording {
        name: format!("seed {seed} <&\">"),
        skeleton,
        dt: [1.0 / 120.0, 1.0 / 30.0, 1e-9, 1e6][r.below(4).min(r.below(4))],
        rotations,
        positions,
        rest,
        convention: Convention { unit: 1.0, up: Up::Z },
        notes: Vec::new(),
    }
}

#[test]
fn any_recording_is_assessed_or_refused() {
    let (mut assessed, mut refused) = (0, 0);
    for seed in 0..SEEDS {
        let recording = recording(seed);
        let options = Options {
            stature: (seed % 3 == 0).then_some(1.7),
            hinges: seed % 2 == 0,
            toes: seed % 5 == 0,
            keep_lost_thorax: seed % 7 == 0,
            ..Options::default()
        };
        let clip = Person::from_recording(&recording, &options).and_then(|p| p.clip(&recording));
        let smoothing = [Smoothing::Auto, Smoothing::None, Smoothing::At(6.0)][seed as usize % 3];
        let settings = inverse::Options { smoothing, ..inverse::Options::default() };
        let Ok(inverse) = clip.and_then(|c| Inverse::from_clip(&c, &settings, &mut |_| {})) else {
            refused += 1;
            continue;
        };
        let certificate = Certificate::from_inverse(&inverse);
        let finite = [
            certificate.residual.force_rms,
            certificate.residual.moment_peak,
            certificate.grf_peak,
            certificate.torque_peak.value,
            certificate.power_peak.value,
            certificate.contact.penetration_max,
            certificate.contact.skate_mean,
        ];
        assert!(finite.iter().all(|x| x.is_finite()), "seed {seed}: {finite:?}");
        let page = page(&recording.name, &Assessment::new(inverse, recording.notes));
        assert!(page.len() > 1000, "seed {seed}");
        assessed += 1;
    }
    println!("{assessed} assessed, {refused} refused");
    assert!(assessed > SEEDS / 10 && refused > SEEDS / 20, "{assessed} assessed, {refused} refused");
}
