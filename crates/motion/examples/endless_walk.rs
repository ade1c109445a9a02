//! An endless walk whose gait changes on request.
//!
//! Prints speed, step length and step frequency after each request: walk, hurry, run, stand. Fails after a fall, if the
//! speed is off by 5 %, or with a residual force.

use anthropi_app::builtin;
use anthropi_motion::gait::footsteps::Segment;
use anthropi_motion::gait::parameter::{Kind, PaceRequest, Parameters};
use anthropi_motion::gait::{EndlessWalk, Walker};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let figure = Arc::new(builtin::figure("human-28").expect("built in")?.figure);
    let walker = Walker::new(&figure, &[])?;
    let gait = |speed: f64, kind: Kind| {
        let request = PaceRequest { speed: Some(speed), ..PaceRequest::default() };
        Parameters::from_request(request, kind, walker.stature(None)).map(|p| Segment::ahead(p, 1))
    };
    let mut walk = walker.endless(gait(1.0, Kind::Walk)?, 1.0)?;
    for (what, speed, kind) in
        [("walk", 1.0, Kind::Walk), ("hurry", 1.6, Kind::Walk), ("run", 2.4, Kind::Run)]
    {
        walk.request(Some(gait(speed, kind)?))?;
        go(&mut walk, 7.0)?;
        let pace = walk.pace();
        println!(
            "{:4.1} s {what:>5}: {:.2} m/s, steps of {:.2} m, {:.2} per second",
            walk.time(),
            pace.speed,
            pace.length,
            pace.frequency
        );
        assert!((pace.speed - speed).abs() < 0.05 * speed, "{what}: {pace:?}");
    }
    walk.request(None)?;
    go(&mut walk, 15.0)?;
    println!("{:4.1} s stand: {:.1} m from the start", walk.time(), walk.body().center_of_mass().x);
    assert_eq!(walk.pace().speed, 0.0);
    Ok(())
}

/// Simulates for a time.
fn go(walk: &mut EndlessWalk, seconds: f64) -> Result<(), Box<dyn std::error::Error>> {
    for _ in 0..(seconds / walk.dt()).round() as usize {
        let mut residual = 0.0;
        walk.step(&[], &mut |step| residual = step.body.root_residual().0)?;
        assert!(residual < 1e-6, "residual force {residual} N at {:.3} s", walk.time());
    }
    assert_eq!(walk.falls(), 0);
    Ok(())
}
