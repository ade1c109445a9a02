//! Seats and steps, found in motions that need them and used by the filter; none where the ground suffices.

use crate::gait::climb;
use anthropi_app::{builtin, keyed};
use anthropi_motion::clip::Clip;
use anthropi_motion::contact_schedule::{Prop, PropKind};
use anthropi_motion::filter::{self, FilterSettings};
use anthropi_motion::inverse::{Inverse, Options};
use anthropi_motion::surroundings::{GivenProp, Surroundings};

/// Heights of seats are known to the thickness of flesh, m; those of steps to the pitch of soles.
const SEAT_TOLERANCE: f64 = 0.03;
const STEP_TOLERANCE: f64 = 0.015;
/// Height of the hip joints above a seat, human-28, m.
const FLESH: f64 = 0.0875;

fn sitting() -> Clip {
    keyed::read(&testkit::motions::sitting(), "sitting.toml").expect("it is sound")
}

fn inverse(clip: &Clip, surroundings: Surroundings) -> Inverse {
    let options = Options { surroundings, ..Options::default() };
    Inverse::from_clip(clip, &options, &mut |_| ()).expect("a person")
}

/// Height of the hip joints above the ground while the figure of [`sitting`] sits.
fn hips(clip: &Clip) -> f64 {
    use anthropi_dynamics::algo::fk::Kinematics;
    let (figure, mut kinematics) = (clip.figure(), Kinematics::default());
    kinematics.update(figure.forest(), clip.pose(300), None, None);
    let thigh = figure.find_joint("left_hip").and_then(|j| figure.joint(j)).expect("a hip").child();
    kinematics.link_pose(figure.forest(), thigh).translation.z
}

#[test]
fn a_figure_whose_weight_is_far_behind_its_feet_sits() {
    let clip = sitting();
    let alone = inverse(&clip, Surroundings::none());
    let found = inverse(&clip, Surroundings::default());
    let [seat] = &found.schedule.props[..] else { panic!("{:?}", found.schedule.props) };
    assert_eq!(seat.kind, PropKind::Seat);
    let expected = hips(&clip) - FLESH - found.schedule.ground.height;
    assert!((seat.height - expected).abs() < SEAT_TOLERANCE, "{} {expected}", seat.height);
    let [used] = &seat.uses[..] else { panic!("{seat:?}") };
    let times = [used.frames.start, used.frames.end].map(|f| clip.time(f));
    assert!((1.6..2.3).contains(&times[0]) && (3.8..4.6).contains(&times[1]), "{times:?}");
    assert!((0.25..0.9).contains(&used.mean_bw) && used.peak_bw < 1.2, "{used:?}");
    assert!((seat.mean_bw() - used.mean_bw).abs() < 1e-12);
    // under the pelvis
    let root = clip.pose(300);
    assert!(
        (seat.at.x - root[0]).abs() < seat.half[0] && (seat.at.y - root[1]).abs() < seat.half[1],
        "{seat:?}"
    );
    // what was missing is there
    let missing =
        |i: &Inverse| i.frames[230..390].iter().map(|f| f.residual.linear.norm()).sum::<f64>() / 160.0;
    assert!(alone.schedule.props.is_empty());
    let [alone, found] = [alone, found].map(|i| missing(&i));
    assert!(found < 0.3 * alone && alone > 30.0, "{alone} N without a seat, {found} N with it");
}

#[test]
fn a_filtered_figure_sits_on_its_seat() {
    let clip = sitting().cut(0.0, 3.9).expect("a part of it");
    let settings = FilterSettings { max_assist: 0.0, retimes: false, ..FilterSettings::default() };
    let mut on_seat = 0;
    let mut worst = 0.0f64;
    let filtered = filter::run(&clip, &settings, &mut |_| (), &mut |step| {
        for force in step.body.ground() {
            let point = &step.body.contact_points[force.contact_point];
            if matches!(point.site, anthropi_motion::contact_points::Site::OnProp(..)) {
                on_seat += 1;
                worst =
                    worst.max(-force.force.z).max(force.force.x.hypot(force.force.y) - 0.8 * force.force.z);
            }
        }
    })
    .expect("it is filtered");
    assert!(filtered.is_consistent(), "fell {:?}, {:?}", filtered.fell, filtered.audit);
    let [seat] = &filtered.props[..] else { panic!("{:?}", filtered.props) };
    assert!((0.3..0.9).contains(&seat.mean_bw()), "{seat:?}");
    assert!(on_seat > 1000 && worst < 1e-6, "{on_seat} forces of the seat, {worst} N outside their cones");
    assert!(filtered.tracking.root_rms_m < 0.08, "{:?}", filtered.tracking);
}

#[test]
fn stairs_are_found_step_by_step() {
    for (rise, tread) in [(0.18, 0.28), (-0.15, 0.32)] {
        let clip = climb("human-28", rise, tread).filtered.clip;
        let found = inverse(&clip, Surroundings::default());
        let (props, ground) = (&found.schedule.props, found.schedule.ground.height);
        let base = if rise > 0.0 { 0.0 } else { 4.0 * rise };
        assert!((ground - base).abs() < STEP_TOLERANCE, "{rise}: ground at {ground}");
        let mut heights: Vec<f64> = props.iter().map(|p| p.height).collect();
        heights.sort_by(f64::total_cmp);
        assert!(props.iter().all(|p| p.kind == PropKind::Step && !p.uses.is_empty()), "{props:?}");
        assert_eq!(heights.len(), 4, "{heights:?}");
        for (k, height) in heights.iter().enumerate() {
            let expected = rise.abs() * (k as f64 + 1.0);
            assert!((height - expected).abs() < STEP_TOLERANCE, "{rise}: {heights:?}");
        }
        assert!(props.iter().all(|p: &Prop| p.peak_bw() > 0.5 && p.mean_bw() > 0.2), "{props:?}");
    }
}

#[test]
fn the_ground_suffices_for_walks_runs_jumps_squats_and_kicks() {
    for item in builtin::MOTIONS {
        let clip = builtin::motion(item.name).expect("built in").expect("it is sound");
        let found = inverse(&clip, Surroundings::default());
        assert!(found.schedule.props.is_empty(), "{}: {:?}", item.name, found.schedule.props);
        assert_eq!(found.schedule.points.len(), inverse(&clip, Surroundings::none()).schedule.points.len());
    }
    for name in ["02_01", "07_01", "16_15", "35_01", "09_01", "13_11"] {
        let Some(clip) = testkit::captured::clip(name) else { return };
        let found = inverse(&clip, Surroundings::default());
        assert!(found.schedule.props.is_empty(), "{name}: {:?}", found.schedule.props);
    }
}

#[test]
fn given_props_are_used_where_the_motion_meets_them() {
    let clip = sitting();
    let height = hips(&clip) - FLESH + 0.02;
    let seat = GivenProp { kind: PropKind::Seat, height, at: None, size: Some([0.5, 0.4]) };
    let only = |given: GivenProp| Surroundings { finds: false, given: vec![given] };
    let found = inverse(&clip, only(seat));
    let [used] = &found.schedule.props[..] else { panic!("{:?}", found.schedule.props) };
    assert!(used.is_given && (used.height - height).abs() < 1e-12 && used.half == [0.25, 0.2], "{used:?}");
    assert!(used.mean_bw() > 0.25 && found.notes.is_empty(), "{used:?}");
    // one that is elsewhere is not used, which is said
    let far = GivenProp { at: Some([5.0, 5.0]), ..seat };
    let found = inverse(&clip, only(far));
    let [unused] = &found.schedule.props[..] else { panic!("{:?}", found.schedule.props) };
    assert!(unused.uses.is_empty() && unused.at.x == 5.0, "{unused:?}");
    assert!(found.notes.iter().any(|n| n.is_warning && n.contains("not used")), "{:?}", found.notes);
}

#[test]
fn a_prop_says_what_a_person_would() {
    let clip = sitting();
    let found = inverse(&clip, Surroundings::default());
    let text = found.schedule.props[0].describe(|f| clip.time(f));
    assert!(
        text.starts_with("seat 0.") && text.contains(" m high, carries 0.") && text.ends_with(" s"),
        "{text}"
    );
    let again = inverse(&sitting(), Surroundings::default());
    assert_eq!(found.schedule.props, again.schedule.props);
}
