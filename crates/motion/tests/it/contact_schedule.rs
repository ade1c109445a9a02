//! Contact schedules of captured walks, runs and jumps, and treadmill detection.

use anthropi_formats::{osim, sto};
use anthropi_motion::anatomy::{self, Side};
use anthropi_motion::clip::Clip;
use anthropi_motion::contact_points::{self, Site};
use anthropi_motion::contact_schedule::ContactSchedule;
use anthropi_motion::{Trajectory, cutoff};
use testkit::{captured, data};

fn schedule(clip: &Clip) -> ContactSchedule {
    let anatomy = anatomy::from_figure(clip.figure(), &[]).expect("a body");
    let places = contact_points::find(clip.figure(), &anatomy).expect("feet");
    ContactSchedule::from_trajectory(&Trajectory::from_clip(clip, Some(cutoff::SLOW)), places, None)
}

fn intervals_at(schedule: &ContactSchedule, site: Site) -> Vec<std::ops::Range<usize>> {
    let place = schedule.points.iter().position(|p| p.site == site).expect("a site of a person");
    schedule.intervals(place)
}

#[test]
fn feet_of_walkers_roll_from_heel_to_toe() {
    for name in ["02_01", "07_01", "16_15", "16_19", "35_01"] {
        let Some(clip) = captured::clip(name) else { return };
        let schedule = schedule(&clip);
        assert!(
            schedule.ground.is_even && schedule.ground.velocity.norm() == 0.0,
            "{name}: {:?}",
            schedule.ground
        );
        // walking has no flight
        assert!(schedule.flights().is_empty(), "{name}: {:?}", schedule.flights());
        for side in Side::BOTH {
            let (heels, toes) =
                (intervals_at(&schedule, Site::Heel(side)), intervals_at(&schedule, Site::Toe(side)));
            // complete stances
            let inside = |s: &&std::ops::Range<usize>| s.start > 0 && s.end < schedule.frames();
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
fn runs_and_jumps_have_flights() {
    for (name, least, most) in [("09_01", 0.06, 0.2), ("13_11", 0.3, 0.6)] {
        let Some(clip) = captured::clip(name) else { return };
        let longest =
            schedule(&clip).flights().iter().map(|f| f.len() as f64 * clip.dt()).fold(0.0, f64::max);
        assert!((least..most).contains(&longest), "{name}: {longest} s in the air");
    }
}

#[test]
fn stairs_are_uneven_and_a_treadmill_moves() {
    if let Some(clip) = captured::clip("83_27") {
        assert!(!schedule(&clip).ground.is_even);
    }
    let Some(folder) = data("opensim/gait2354") else { return };
    let read = |name: &str| std::fs::read(folder.join(name)).expect("a file of the recordings");
    let (model, motion) = (read("subject01_simbody.osim"), read("subject01_walk1_ik.mot"));
    let model = osim::read_model(&String::from_utf8_lossy(&model), "model.osim").expect("a model");
    let table = sto::read(&motion, "ik.mot").expect("a table");
    let (clip, _) = osim::clip(&model, &table).expect("a motion");
    let belt = schedule(&clip).ground.velocity;
    // backward at walking speed
    assert!((belt.norm() - 1.12).abs() < 0.1 && belt.x < -1.0, "{belt:?}");
}
