//! A figure hangs on a swing with both hands and releases one, then the other, while it moves.
//!
//! Prints the coordinates and the energy before and after each change of structure. Fails if a release changes the
//! energy, if the remaining loops open, or if the figure does not fall in the end.

use anthropi_app::builtin;
use anthropi_dynamics::sim::coordinates;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = builtin::scene("monkey-swing").expect("built in")?;
    let mut sim = scene.simulation()?;
    println!("at the start: {} coordinates, in two closed loops", coordinates(sim.figure()));
    for step in 0..2500 {
        let grip = match step {
            1000 => Some("right_grip"),
            1600 => Some("left_grip"),
            _ => None,
        };
        if let Some(grip) = grip {
            let before = sim.energy().total();
            sim.cut(sim.figure().find_joint(grip)?)?;
            let after = sim.energy().total();
            println!(
                "{:.3} s: {grip} is cut, {} coordinates; energy {before:.6} J, then {after:.6} J",
                sim.time(),
                coordinates(sim.figure())
            );
            assert!((after - before).abs() < 1e-9 * before.abs(), "{before} J, {after} J");
        }
        sim.step(scene.dt)?;
        assert!(sim.closure().linear < 1e-9, "the swing came apart at {:.3} s", sim.time());
    }

    let head = sim.figure().find_link("head")?;
    let forest = sim.figure().forest().clone();
    let height = sim.kinematics().link_pose(&forest, head).translation.z;
    println!("{:.3} s: the head is at {height:.2} m, the beam of the swing at 3.4 m", sim.time());
    assert!(height < 0.0);
    Ok(())
}
