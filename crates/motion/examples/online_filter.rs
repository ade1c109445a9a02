//! A clip filtered on-line: each input frame gives a frame of a simulated body.
//!
//! Prints the tracking error, the largest residual force and the time per frame. Fails after a fall, with a mean error of
//! more than 5 cm, or with a residual force.

use anthropi_app::builtin;
use anthropi_motion::filter::OnlineFilter;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let clip = builtin::motion("keyed-walk").expect("built in")?;
    let mut filter = OnlineFilter::new(clip.figure(), clip.dt())?;
    let (mut error, mut residual) = (0.0, 0.0_f64);
    let start = Instant::now();
    for frame in 0..clip.frames() {
        let mut watch = |body: &anthropi_motion::filter::SimulatedBody, _: &_| {
            residual = residual.max(body.root_residual().0)
        };
        // the output is one frame behind the input
        let Some(q) = filter.push_watched(clip.pose(frame), &mut watch)? else { continue };
        let wanted = clip.pose(frame - 1);
        error += (0..3).map(|k| (q[k] - wanted[k]).powi(2)).sum::<f64>().sqrt();
    }
    let (frames, mean) = (clip.frames(), error / (clip.frames() - 1) as f64);
    let each_ms = 1e3 * start.elapsed().as_secs_f64() / frames as f64;
    println!("{frames} frames of {:.1} ms, {each_ms:.2} ms of work each", 1e3 * clip.dt());
    println!("mean error of the root: {:.1} cm", 100.0 * mean);
    println!("residual force at most {residual:.1e} N; body weight is {:.0} N", filter.body.weight());
    assert!(!filter.has_fallen() && mean < 0.05, "{mean} m");
    assert!(residual < 1e-6, "{residual} N");
    Ok(())
}
