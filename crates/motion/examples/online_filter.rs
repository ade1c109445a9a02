//! A clip filtered on-line: frames come one by one, and each gives a frame of a body that only ground and joints move.
//!
//! Prints how far it is from what came, the largest force that nothing explains, and the time a frame takes. Fails if it
//! falls, if it is more than 5 cm away on average, or if a force is missing.

use anthropi_io::builtin;
use anthropi_motion::filter::OnlineFilter;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let clip = builtin::motion("keyed-walk").expect("built in")?;
    let mut filter = OnlineFilter::new(clip.figure(), clip.dt())?;
    let (mut away, mut missing) = (0.0, 0.0_f64);
    let start = Instant::now();
    for frame in 0..clip.frames() {
        let mut watch =
            |body: &anthropi_motion::filter::Body, _: &_| missing = missing.max(body.left_over().0);
        // the answer is the figure one frame ago; none at the first
        let Some(q) = filter.push_watched(clip.pose(frame), &mut watch)? else { continue };
        let wanted = clip.pose(frame - 1);
        away += (0..3).map(|k| (q[k] - wanted[k]).powi(2)).sum::<f64>().sqrt();
    }
    let (frames, mean) = (clip.frames(), away / (clip.frames() - 1) as f64);
    let each_ms = 1e3 * start.elapsed().as_secs_f64() / frames as f64;
    println!("{frames} frames of {:.1} ms, {each_ms:.2} ms of work each", 1e3 * clip.dt());
    println!("the root is {:.1} cm from the motion on average", 100.0 * mean);
    println!("at most {missing:.1e} N come from nowhere; body weight is {:.0} N", filter.body.weight());
    assert!(!filter.has_fallen() && mean < 0.05, "{mean} m");
    assert!(missing < 1e-6, "{missing} N");
    Ok(())
}
