//! Retargets a human walk to a robot from URDF with serial hinges and shorter legs.
//!
//! Prints the size of the robot against the person, and how far its feet are from where they should be. Fails if that is
//! more than 2 cm, if a joint leaves its range, or if the robot's steps are not in proportion to its legs.

use anthropi_app::builtin;
use anthropi_formats::urdf;
use anthropi_motion::anatomy::{Part, from_figure};
use anthropi_motion::ik::beyond_limits;
use anthropi_motion::retarget::{Options, retarget};
use std::sync::Arc;

const ROBOT: &str = include_str!("robot.urdf");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // a URDF is fixed to the ground: free its base
    let read = urdf::read(ROBOT, "robot.urdf")?;
    let robot = Arc::new(read.figure.with_free_base()?);
    let walk = builtin::motion("keyed-walk").expect("built in")?;

    // recognise body parts by names and structure
    let (person, machine) = (from_figure(walk.figure(), &[])?, from_figure(&robot, &[])?);
    let done = retarget(&walk, &person, robot.clone(), &machine, &[], &Options::default())?;

    println!("{}: {} coordinates, {:.1} kg", robot.name, robot.forest().nv(), robot.mass());
    println!("its legs are {:.2} times those of `{}`", done.report.ratio, walk.figure().name);
    for end in &done.report.ends {
        println!(
            "{:>10}: {:.1} mm rms, {:.1} mm at most",
            end.part.to_string(),
            1e3 * end.rms,
            1e3 * end.max
        );
    }
    let feet = done.report.ends.iter().filter(|end| matches!(end.part, Part::Foot(_)));
    assert!(feet.clone().count() == 2 && feet.clone().all(|end| end.max < 0.02), "{:?}", done.report);
    for frame in 0..done.clip.frames() {
        assert!(beyond_limits(&robot, done.clip.pose(frame)) < 1e-9, "frame {frame}");
    }
    let last = walk.frames() - 1;
    let way = |clip: &anthropi_motion::Clip| clip.pose(last)[0] - clip.pose(0)[0];
    println!("it goes {:.2} m where the person goes {:.2} m", way(&done.clip), way(&walk));
    assert!((way(&done.clip) / way(&walk) - done.report.ratio).abs() < 0.02);
    Ok(())
}
