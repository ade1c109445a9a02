//! Push recovery: a standing figure is pushed at the chest without warning and returns to its pose.
//!
//! Prints, for four sides, how far its root was pushed away and how far off it is two seconds later. Fails if it falls, if
//! ground forces violate contact conditions, or if it is not displaced by 1 mm and back within 2 cm.

use anthropi_app::builtin;
use anthropi_app::filter_scene::MotionSource;
use anthropi_motion::Clip;
use anthropi_motion::filter::{self, FilterSettings};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = builtin::filter_scene("push-standing").expect("built in")?;
    let figure = Arc::new(builtin::figure("human-28").expect("built in")?.figure);

    // the reference motion: standing still
    let MotionSource::Stand { rate, .. } = scene.motion else { panic!("a standing reference") };
    let frames = (10.0 * rate) as usize;
    let poses: Vec<f64> = (0..frames).flat_map(|_| figure.forest().home().to_vec()).collect();
    let clip = Clip::new("standing", figure.clone(), 1.0 / rate, poses)?;

    // 40 N for 0.2 s every 2.3 s, from one side after another
    let mode = scene.mode.expect("on-line");
    let pushes: Vec<_> = scene.pushes_on(&figure)?.into_iter().take(4).collect();
    let settings = FilterSettings { mode, pushes: pushes.clone(), ..FilterSettings::default() };
    let filtered = filter::run(&clip, &settings, &mut |_| (), &mut |_| ())?;
    assert!(filtered.fell.is_none() && filtered.is_consistent());

    let root = |time: f64| &filtered.clip.pose((time * rate) as usize)[..3];
    for push in &pushes {
        let off = |after: f64| {
            let (now, start) = (root(push.from + after), root(push.from));
            now.iter().zip(start).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        let most = (0..200).map(|k| off(0.01 * f64::from(k))).fold(0.0, f64::max);
        let force = push.force;
        println!(
            "[{:6.1}, {:6.1}] N at {:4.1} s: {:4.1} cm away, {:3.1} cm two seconds later",
            force.x,
            force.y,
            push.from,
            100.0 * most,
            100.0 * off(2.0)
        );
        assert!(most > 0.001 && off(2.0) < 0.02);
    }
    Ok(())
}
