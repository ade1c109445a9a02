//! Contact labels of captured walks are those of walking, and a treadmill is seen.

mod captured;

use anthropi_io::{osim, sto};
use anthropi_motion::anatomy::{self, Side};
use anthropi_motion::clip::Clip;
use anthropi_motion::spots::{self, Spot};
use anthropi_motion::touch::Touches;
use anthropi_motion::{Trajectory, cutoff};
use captured::data;

fn touches(clip: &Clip) -> Touches {
    let anatomy = anatomy::of_figure(clip.figure(), &[]).expect("a body");
    let places = spots::of_figure(clip.figure(), &anatomy).expect("feet");
    Touches::of(&Trajectory::of(clip, Some(cutoff::SLOW)), places, None)
}

fn spells(touches: &Touches, spot: Spot) -> Vec<std::ops::Range<usize>> {
    let place = touches.places.iter().position(|p| p.spot == spot).expect("a spot of a person");
    touches.spells(place)
}

#[test]
fn feet_of_walkers_roll_from_heel_to_toe() {
    for name in ["02_01", "07_01", "16_15", "16_19", "35_01"] {
        let Some(clip) = captured::clip(name) else { return };
        let touches = touches(&clip);
        assert!(
            touches.ground.is_even && touches.ground.velocity.norm() == 0.0,
            "{name}: {:?}",
            touches.ground
        );
        // walking has no flight
        assert!(touches.flights().is_empty(), "{name}: {:?}", touches.flights());
        for side in Side::BOTH {
            let (heels, toes) = (spells(&touches, Spot::Heel(side)), spells(&touches, Spot::Toe(side)));
            // stances that are whole
            let inside = |s: &&std::ops::Range<usize>| s.start > 0 && s.end < touches.frames();
            for heel in heels.iter().filter(inside) {
                let toe = toes.iter().filter(inside).find(|t| t.start < heel.end && heel.start < t.end);
                let Some(toe) = toe else { continue };
                assert!(heel.start <= toe.start && heel.end <= toe.end, "{name} {side:?}: {heel:?} {toe:?}");
                let seconds = (toe.end - heel.start) as f64 * clip.dt();
                assert!((0.4..1.2).contains(&seconds), "{name} {side:?}: a stance of {seconds} s");
            }
            assert!(toes.len() >= 2, "{name} {side:?}: {toes:?}");
        }
    }
}

#[test]
fn runs_and_jumps_fly() {
    for (name, least, most) in [("09_01", 0.06, 0.2), ("13_11", 0.3, 0.6)] {
        let Some(clip) = captured::clip(name) else { return };
        let longest = touches(&clip).flights().iter().map(|f| f.len() as f64 * clip.dt()).fold(0.0, f64::max);
        assert!((least..most).contains(&longest), "{name}: {longest} s in the air");
    }
}

#[test]
fn stairs_are_uneven_and_a_treadmill_moves() {
    if let Some(clip) = captured::clip("83_27") {
        assert!(!touches(&clip).ground.is_even);
    }
    let folder = data("opensim/gait2354");
    let read = |name: &str| std::fs::read(folder.join(name)).ok();
    let (Some(model), Some(motion)) = (read("subject01_simbody.osim"), read("subject01_walk1_ik.mot")) else {
        return;
    };
    let model = osim::read_model(&String::from_utf8_lossy(&model), "model.osim").expect("a model");
    let table = sto::read(&motion, "ik.mot").expect("a table");
    let (clip, _) = osim::clip(&model, &table).expect("a motion");
    let belt = touches(&clip).ground.velocity;
    // backward at walking speed
    assert!((belt.norm() - 1.12).abs() < 0.1 && belt.x < -1.0, "{belt:?}");
}
