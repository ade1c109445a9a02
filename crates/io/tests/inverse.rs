//! Forces behind captured motions.

use anthropi_io::bvh;
use anthropi_motion::inverse::{Inverse, Settings};
use anthropi_motion::person::{Options, Person};
use std::path::Path;

#[test]
fn survey() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/bvh");
    let Ok(dir) = std::fs::read_dir(data) else { return };
    let mut paths: Vec<_> = dir.flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        let recording =
            bvh::read(&std::fs::read_to_string(&path).unwrap(), &path.display().to_string()).unwrap();
        let person = Person::of(&recording, &Options::default()).unwrap();
        let clip = person.clip(&recording).unwrap();
        let t0 = std::time::Instant::now();
        let inverse = Inverse::of(&clip, &Settings::default(), &mut |_| {}).unwrap();
        let w = inverse.weight();
        let n = inverse.frames.len() as f64;
        let rms =
            (inverse.frames.iter().map(|f| f.missing.linear.dot(f.missing.linear)).sum::<f64>() / n).sqrt();
        let mrms =
            (inverse.frames.iter().map(|f| f.missing.angular.dot(f.missing.angular)).sum::<f64>() / n).sqrt();
        let peak = inverse.frames.iter().map(|f| f.missing.linear.norm()).fold(0.0, f64::max);
        let on = (0..inverse.frames.len()).filter(|f| inverse.touches.any(*f)).count() as f64 / n;
        println!(
            "{:8} {:?} {} ground {:.3} {:?} spread {:.3} even {} on {:.2} res {:.3} BW peak {:.2} moment {:.1} Nm  {:?}",
            recording.name,
            inverse.cutoff.hz,
            inverse.cutoff.why,
            inverse.touches.ground.height,
            inverse.touches.ground.slope,
            inverse.touches.ground.spread,
            inverse.touches.ground.is_even,
            on,
            rms / w,
            peak / w,
            mrms,
            t0.elapsed() / inverse.frames.len() as u32
        );
        for (k, p) in inverse.touches.places.iter().enumerate() {
            println!("      {}: {:?}", p.spot, inverse.touches.spells(k));
        }
    }
}
#[test]
fn look() {
    for (c, range) in [("09_01", 0..148usize)] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../../shared/data/bvh/{c}.bvh"));
        let recording =
            bvh::read(&std::fs::read_to_string(&path).unwrap(), &path.display().to_string()).unwrap();
        let person = Person::of(&recording, &Options::default()).unwrap();
        let clip = person.clip(&recording).unwrap();
        let inverse = Inverse::of(&clip, &Settings::default(), &mut |_| {}).unwrap();
        let t = &inverse.touches.tracks;
        for f in range.step_by(2) {
            let w = inverse.frames[f].wanted.linear.scale(1.0 / inverse.weight());
            let m = inverse.frames[f].missing.linear.scale(1.0 / inverse.weight());
            println!(
                "{f}: W {:.2} {:.2} {:.2} miss {:.2} {:.2} {:.2} {}{}{}{} L heel {:.3} {:.2} toe {:.3} {:.2} | R heel {:.3} {:.2} toe {:.3} {:.2}",
                w.x,
                w.y,
                w.z,
                m.x,
                m.y,
                m.z,
                inverse.touches.is_on(0, f) as u8,
                inverse.touches.is_on(1, f) as u8,
                inverse.touches.is_on(2, f) as u8,
                inverse.touches.is_on(3, f) as u8,
                t[0].height[f],
                t[0].speed[f],
                t[1].height[f],
                t[1].speed[f],
                t[2].height[f],
                t[2].speed[f],
                t[3].height[f],
                t[3].speed[f]
            );
        }
    }
}
