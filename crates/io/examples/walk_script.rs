//! A walk by script: stretches one after the other in a few lines of TOML, walked by torques and the ground alone.
//!
//! Prints where it ends, its steps and its forces. Fails if it falls, if forces do not explain the motion, or if it does
//! not look to the left at the end, as the script says.

use anthropi_io::{builtin, walking};
use anthropi_motion::gait::{Settings, Walker};
use std::sync::Arc;

const SCRIPT: &str = r#"
name = "round the corner"
figure = "human-28"

[[stretch]] # as anybody walks
steps = 3
speed = 1.2

[[stretch]] # round a corner, faster
steps = 4
speed = 1.4
turn_deg = 90
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let script = walking::read(SCRIPT, "corner.toml", None)?;
    let name = script.figure.as_deref().expect("it says who walks");
    let figure = Arc::new(builtin::figure(name).expect("built in")?.figure);
    let walker = Walker::of(&figure, &[])?;
    let stretches = script.stretches(walker.stature(script.height))?;
    let walked = walker.walk(&stretches, &Settings::default(), &mut |_| (), &mut |_| ())?;

    let (clip, measured) = (&walked.filtered.clip, &walked.measured);
    let root = clip.pose(clip.frames() - 1);
    let facing_deg = 2.0 * root[6].atan2(root[3]).to_degrees();
    println!("{}: {} steps in {:.1} s", script.name, walked.steps.steps.len(), clip.duration());
    println!(
        "it ends {:.2} m ahead and {:.2} m to the left, facing {facing_deg:.0} degrees",
        root[0], root[1]
    );
    println!("steady steps of {:.2} m, ground force {:.0} N at most", measured.length, walked.peak().norm());
    println!("force from nowhere: {:.1e} N at most", walked.filtered.proof.force_peak);
    assert!(walked.fell().is_none() && walked.filtered.is_consistent());
    assert!((facing_deg - 90.0).abs() < 5.0 && root[1] > 1.0);

    // what is wrong in a script is told with its line
    let wrong = walking::read(&SCRIPT.replace("speed = 1.4", "sped = 1.4"), "corner.toml", None);
    let message = wrong.expect_err("there is no `sped`").to_string();
    println!("{message}");
    assert!(message.starts_with("corner.toml:11:") && message.contains("speed"));
    Ok(())
}
