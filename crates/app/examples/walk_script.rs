//! A walk from a script of a few lines of TOML, simulated with joint torques and ground forces only.
//!
//! Prints the end position, steps and forces. Fails on a fall, on unexplained forces, or if the figure does not face left
//! at the end.

use anthropi_app::walk::{self, PreparedWalk};

const SCRIPT: &str = r#"
name = "round the corner"
figure = "human-28"

[[segment]] # straight ahead
steps = 3
speed = 1.2

[[segment]] # round a corner, faster
steps = 4
speed = 1.4
turn_deg = 90
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let walk = PreparedWalk::new(walk::read(SCRIPT, "corner.toml", None)?, &[])?;
    let walked = walk.run(&mut |_| (), &mut |_| ())?;

    let (clip, measured) = (&walked.filtered.clip, &walked.measured);
    let root = clip.pose(clip.frames() - 1);
    let facing_deg = 2.0 * root[6].atan2(root[3]).to_degrees();
    println!("{}: {} steps in {:.1} s", clip.name, walked.steps.steps.len(), clip.duration());
    println!(
        "it ends {:.2} m ahead and {:.2} m to the left, facing {facing_deg:.0} degrees",
        root[0], root[1]
    );
    println!(
        "steady steps of {:.2} m, ground force up to {:.2} body weights",
        measured.length, measured.load.max
    );
    println!("residual force: {:.1e} N at most", walked.filtered.audit.force_peak);
    assert!(walked.fell().is_none() && walked.filtered.is_consistent());
    assert!((facing_deg - 90.0).abs() < 5.0 && root[1] > 1.0);

    // errors in a script name its line
    let wrong = walk::read(&SCRIPT.replace("speed = 1.4", "sped = 1.4"), "corner.toml", None);
    let message = wrong.expect_err("there is no `sped`").to_string();
    println!("{message}");
    assert!(message.starts_with("corner.toml:11:") && message.contains("speed"));
    Ok(())
}
