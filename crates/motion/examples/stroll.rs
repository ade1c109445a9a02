//! A walk without end whose gait changes: nobody knows at the start where it will go, it is asked on the way.
//!
//! Prints speed, step length and step frequency after each wish: walk, hurry, run, stand. Fails if it falls, if the speed
//! is not the one asked for to 5 %, or if a force comes from nowhere.

use anthropi_io::builtin;
use anthropi_motion::gait::parameter::{Kind, Parameters, Request};
use anthropi_motion::gait::steps::Stretch;
use anthropi_motion::gait::{Stroll, Walker};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let figure = Arc::new(builtin::figure("human-28").expect("built in")?.figure);
    let walker = Walker::of(&figure, &[])?;
    let gait = |speed: f64, kind: Kind| {
        let request = Request { speed: Some(speed), ..Request::default() };
        Parameters::of(request, kind, walker.stature(None)).map(|p| Stretch::ahead(p, 1))
    };
    let mut stroll = walker.stroll(gait(1.0, Kind::Walk)?, 1.0)?;
    for (what, speed, kind) in
        [("walk", 1.0, Kind::Walk), ("hurry", 1.6, Kind::Walk), ("run", 2.4, Kind::Run)]
    {
        stroll.ask(Some(gait(speed, kind)?))?;
        go(&mut stroll, 7.0)?;
        let pace = stroll.pace();
        println!(
            "{:4.1} s {what:>5}: {:.2} m/s, steps of {:.2} m, {:.2} a second",
            stroll.time(),
            pace.speed,
            pace.length,
            pace.frequency
        );
        assert!((pace.speed - speed).abs() < 0.05 * speed, "{what}: {pace:?}");
    }
    stroll.ask(None)?;
    go(&mut stroll, 15.0)?;
    println!("{:4.1} s stand: {:.1} m from the start", stroll.time(), stroll.body().center().x);
    assert_eq!(stroll.pace().speed, 0.0);
    Ok(())
}

/// Goes on for a while, millisecond by millisecond.
fn go(stroll: &mut Stroll, seconds: f64) -> Result<(), Box<dyn std::error::Error>> {
    for _ in 0..(seconds / stroll.dt()).round() as usize {
        let mut missing = 0.0;
        stroll.step(&[], &mut |step| missing = step.body.left_over().0)?;
        assert!(missing < 1e-6, "{missing} N from nowhere at {:.3} s", stroll.time());
    }
    assert_eq!(stroll.falls(), 0);
    Ok(())
}
