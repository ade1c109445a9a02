//! The dynamics filter on figures and motions that are built in.

use anthropi_dynamics::model::Figure;
use anthropi_dynamics::spatial::{Vec3, vec3};
use anthropi_io::builtin;
use anthropi_motion::clip::Clip;
use anthropi_motion::filter::{self, Mode, Outside, Push, Settings};
use std::sync::Arc;

/// A clip of a figure that stands still in its home pose.
fn standing(figure: &Arc<Figure>, seconds: f64, dt: f64) -> Clip {
    let frames = (seconds / dt) as usize + 1;
    let q: Vec<f64> = (0..frames).flat_map(|_| figure.forest().home().to_vec()).collect();
    Clip::new("standing", figure.clone(), dt, q).unwrap()
}

fn human() -> Arc<Figure> {
    Arc::new(builtin::figure("human-28").unwrap().unwrap().figure)
}

fn pushed(mode: Mode, force: Vec3) -> filter::Filtered {
    let figure = human();
    let clip = standing(&figure, 5.0, 1.0 / 120.0);
    let chest = figure.find_link("chest").unwrap();
    let outside = Outside { link: chest, at: vec3(0.0, 0.0, 0.1), force, is_known: false };
    let settings =
        Settings { mode, pushes: vec![Push { from: 1.0, to: 1.2, outside }], ..Settings::default() };
    filter::run(&clip, &settings, &mut |_| (), &mut |_| ()).unwrap()
}

#[test]
fn a_standing_figure_survives_pushes_from_all_sides_and_comes_back() {
    for k in 0..8 {
        let angle = f64::from(k) * core::f64::consts::FRAC_PI_4;
        let force = vec3(40.0 * angle.cos(), 40.0 * angle.sin(), 0.0);
        let f = pushed(Mode::Online, force);
        let way = |frame: usize| {
            let (a, b) = (f.clip.pose(frame), f.clip.pose(100));
            vec3(a[0] - b[0], a[1] - b[1], a[2] - b[2]).norm()
        };
        let most = (120..300).map(way).fold(0.0, f64::max);
        let back = way((4.2 * 120.0) as usize);
        println!(
            "{:>4.0} deg: fell {:?} moved {:.1} cm, back to {:.1} cm; {:?}",
            angle.to_degrees(),
            f.fell,
            100.0 * most,
            100.0 * back,
            f.proof.skate_mean
        );
        assert!(f.fell.is_none(), "pushed at {} degrees", angle.to_degrees());
        assert!(back < 0.02, "{} degrees: {back} m off three seconds after", angle.to_degrees());
        assert_eq!(f.proof.normal_violations + f.proof.friction_violations + f.proof.cop_outside, 0);
        assert!(f.proof.force_peak < 1e-6);
    }
}
