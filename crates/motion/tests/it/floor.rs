//! Sloping and uneven ground, and load sharing.

use crate::pseudo_inverse::{at_rest, center};
use anthropi_app::builtin;
use anthropi_dynamics::algo::fk::Kinematics;
use anthropi_dynamics::model::{BodyJoint, Figure};
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_motion::anatomy::{self, Side};
use anthropi_motion::contact_points::{self, Site};
use anthropi_motion::contact_schedule::ContactSchedule;
use anthropi_motion::filter::foot_plant::FootPlant;
use anthropi_motion::filter::{
    self, FilterSettings, Floor, GroundForce, OnlineFilter, ReferenceSample, SimulatedBody, Solver,
};
use anthropi_motion::{Clip, Trajectory, pose};
use testkit::motions::*;

/// Internal step, s.
const DT: f64 = 0.001;
/// Thigh and shank, m.
const LEG: f64 = 0.8;
/// Residual force and moment on the root, N and N m: rounding.
const MAX_RESIDUAL: f64 = 1e-9;
/// Tolerance of the friction cones, parts of the weight: rounding.
const ROUNDING: f64 = 1e-9;

/// A figure standing on a floor by contact point, and the reference to stay there. Heights are above the lowest sole.
fn standing(figure: &Figure, floor: impl Fn(Site) -> Floor) -> (SimulatedBody, ReferenceSample) {
    let anatomy = anatomy::from_figure(figure, &[]).expect("a human figure");
    let contact_points = contact_points::find(figure, &anatomy).expect("it has feet");
    let mut q = figure.forest().home().to_vec();
    let mut k = Kinematics::default();
    k.update(figure.forest(), &q, None, None);
    let soles = contact_points
        .iter()
        .flat_map(|p| p.points.iter().map(|at| k.link_pose(figure.forest(), p.link).point(*at)));
    let low = soles.map(|p| p.z).fold(f64::INFINITY, f64::min);
    // soles parallel to the ground, legs bent by its height
    for contact_point in contact_points.iter().filter(|p| matches!(p.site, Site::Heel(_))) {
        let side = if contact_point.site.side() == Some(Side::Left) { "left" } else { "right" };
        let Floor { height, slope: [x, y] } = floor(contact_point.site);
        let bent = libm::acos(1.0 - height / LEG);
        let mut set = |joint: &str, values: &[f64]| {
            let joint = figure.find_joint(&format!("{side}_{joint}")).expect("a joint of a leg");
            let at = figure.forest().joint_place(joint).iq;
            q[at..at + values.len()].copy_from_slice(values);
        };
        set("hip", &Quat::about(vec3(0.0, 1.0, 0.0), -bent).0);
        set("knee", &[2.0 * bent]);
        set("ankle", &[-bent - libm::atan(x), libm::atan(y)]);
    }
    let (mut body, mut reference) = at_rest(figure, &q, true);
    reference.in_contact = contact_points.iter().map(|p| p.site.is_foot()).collect();
    let floors = contact_points.iter().map(|p| floor(p.site));
    reference.floor = floors.map(|f| Floor { height: f.height + low, ..f }).collect();
    // the reference is the pose with the feet on the ground
    body.start(&reference);
    reference.q.copy_from_slice(body.q());
    reference.com[0] = center(figure, body.q());
    (body, reference)
}

/// Simulates steps; `look` sees each.
fn simulate(
    body: &mut SimulatedBody,
    reference: &ReferenceSample,
    steps: usize,
    look: &mut dyn FnMut(usize, &SimulatedBody),
) {
    for step in 0..steps {
        body.solve(reference, &[], DT);
        look(step, body);
        body.finish(DT);
    }
}

#[test]
fn figures_stand_on_slopes_and_steps() {
    let figure = human("human-28");
    let rise = libm::tan(10.0_f64.to_radians());
    let slopes = [[rise, 0.0], [-rise, 0.0], [0.0, rise], [0.7 * rise, -0.7 * rise]];
    let ramps = slopes.map(|slope| [Floor { height: 0.0, slope }; 2]);
    let step = [Floor::level(0.15), Floor::level(0.0)];
    for [left, right] in ramps.into_iter().chain([step]) {
        for solver in [Solver::Qp, Solver::PseudoInverse] {
            let of = |site: Site| if site.side() == Some(Side::Left) { left } else { right };
            let (mut body, reference) = standing(&figure, of);
            body.set_solver(solver).expect("no loop closures");
            let given = format!("{left:?} {right:?} {solver:?}");
            let rounding = ROUNDING * body.weight();
            let mut settled: Vec<GroundForce> = Vec::new();
            simulate(&mut body, &reference, 1000, &mut |step, body| {
                let (force, moment) = body.root_residual();
                let residual = force.max(moment);
                assert!(residual < MAX_RESIDUAL, "{given}: {force:e} N, {moment:e} N m at step {step}");
                for g in body.ground() {
                    assert_eq!(g.normal, reference.floor[g.contact_point].normal(), "{given}");
                    let up = g.normal.dot(g.force);
                    let along = (g.force - g.normal.scale(up)).norm();
                    let is_valid = up >= -rounding && along <= body.friction * up + rounding;
                    assert!(is_valid, "{given}: {g:?} at step {step}");
                }
                if step == 200 {
                    settled = body.ground().to_vec();
                }
            });
            let sum = body.ground().iter().fold(Vec3::ZERO, |s, g| s + g.force).scale(1.0 / body.weight());
            let creep = body.ground().iter().map(|g| {
                let before = settled.iter().find(|s| s.point == g.point).expect("it was in contact before");
                (g.at - before.at).norm()
            });
            let creep = creep.fold(0.0, f64::max);
            let (low, high) =
                body.ground().iter().fold((0.0_f64, 0.0_f64), |(l, h), g| (l.min(g.above), h.max(g.above)));
            println!("{given}: force {sum:?}, creep {creep:e} m, {low:e} to {high:e} m above");
            assert_eq!(body.ground().len(), 8, "{given}");
            assert!((sum.z - 1.0).abs() < 0.02 && sum.x.hypot(sum.y) < 0.02, "{given}: {sum:?}");
            assert!(creep < 5e-4 && low > -5e-4 && high < 5e-4, "{given}");
        }
    }
}

/// Part of the load on each contact point.
fn loads(body: &SimulatedBody) -> Vec<f64> {
    let mut loads = vec![0.0; body.contact_points.len()];
    body.ground().iter().for_each(|g| loads[g.contact_point] += g.force.z / body.weight());
    loads
}

#[test]
fn feet_share_the_load_as_desired() {
    let figure = human("human-28");
    for shares in [[0.4, 0.4, 0.1, 0.1], [0.35, 0.15, 0.15, 0.35], [0.5, 0.25, 0.2, 0.05]] {
        let (mut body, mut reference) = standing(&figure, |_| Floor::level(0.0));
        simulate(&mut body, &reference, 1, &mut |_, _| ());
        let mut desired = vec![0.0; body.contact_points.len()];
        desired[..4].copy_from_slice(&shares);
        // the centre of mass above the centre of pressure of this load
        let share = |g: &GroundForce| {
            let points = body.ground().iter().filter(|other| other.contact_point == g.contact_point);
            desired[g.contact_point] / points.count() as f64
        };
        let under = body.ground().iter().fold(Vec3::ZERO, |s, g| s + g.at.scale(share(g)));
        reference.com[0] = Vec3 { z: reference.com[0].z, ..under };
        let start = body.clone();
        let error = |body: &SimulatedBody| {
            loads(body).iter().zip(&desired).fold(0.0_f64, |m, (l, w)| m.max((l - w).abs()))
        };
        simulate(&mut body, &reference, 2000, &mut |_, _| ());
        let without = error(&body);
        (body, reference.load_share) = (start, desired.clone());
        simulate(&mut body, &reference, 2000, &mut |_, _| ());
        println!("{shares:?}: error {:.3}, without shares {without:.3}; {:.3?}", error(&body), loads(&body));
        assert!(error(&body) < 0.03, "{shares:?}: {:?}", loads(&body));
        assert!(without > 2.0 * error(&body), "{shares:?}");
    }
}

#[test]
fn even_shares_equal_no_shares() {
    let figure = human("human-28");
    let (mut body, mut reference) = standing(&figure, |_| Floor::level(0.0));
    let mut other = body.clone();
    simulate(&mut body, &reference, 300, &mut |_, _| ());
    reference.load_share = reference.in_contact.iter().map(|on| if *on { 0.25 } else { 0.0 }).collect();
    simulate(&mut other, &reference, 300, &mut |_, _| ());
    assert_eq!(body.q(), other.q());
}

/// A walk moved to ground of this slope, degrees: the root rises with it, the contact schedule is unchanged.
fn uphill(degrees: f64) -> (Clip, Floor) {
    let walk = builtin::motion("keyed-walk").expect("built in").expect("it is sound");
    let (figure, rise) = (walk.figure(), libm::tan(degrees.to_radians()));
    let anatomy = anatomy::from_figure(figure, &[]).expect("a human figure");
    let contact_points = contact_points::find(figure, &anatomy).expect("it has feet");
    let mut schedule =
        ContactSchedule::from_trajectory(&Trajectory::from_clip(&walk, None), contact_points, None);
    schedule.ground.slope[0] = rise;
    let root = figure.forest().bodies().iter().find(|b| b.joint == BodyJoint::Free).expect("it is free");
    let (nq, x) = (figure.forest().nq(), root.coordinates().start);
    let mut q = walk.poses().to_vec();
    q.chunks_exact_mut(nq).for_each(|q| q[x + 2] += rise * q[x]);
    let risen = Clip::new("uphill", figure.clone(), walk.dt(), q).expect("it is sound");
    let floor = Floor { height: schedule.ground.height, slope: schedule.ground.slope };
    (FootPlant::new(&Trajectory::from_clip(&risen, None), &schedule).clip, floor)
}

#[test]
fn walks_up_and_down_ramps_are_consistent() {
    for degrees in [-6.0_f64, 10.0] {
        let (clip, _) = uphill(degrees);
        let mut steep = [f64::INFINITY, 0.0];
        let given = filter::run(&clip, &FilterSettings::default(), &mut |_| (), &mut |step| {
            for g in step.body.ground() {
                let angle = libm::acos(g.normal.z).to_degrees();
                steep = [steep[0].min(angle), steep[1].max(angle)];
            }
        });
        let given = given.expect("it has feet");
        let rms = given.tracking.joint_rms_deg;
        println!("{degrees} degrees: normals {steep:?}, joints {rms:.2} deg, {:?}", given.audit);
        assert!(steep.iter().all(|s| (s - degrees.abs()).abs() < 0.1), "{degrees}: {steep:?}");
        assert!(given.is_consistent(), "{degrees}: fell {:?}, {:?}", given.fell, given.audit);
        assert!(rms < 6.0, "{degrees}: {rms}");
    }
}

#[test]
fn a_known_ramp_is_walked_on_line() {
    let (clip, floor) = uphill(3.0);
    let away = |given: bool| {
        let mut filter = OnlineFilter::new(clip.figure(), clip.dt()).expect("it has feet");
        given.then(|| filter.set_floor(floor));
        let mut most = 0.0_f64;
        for frame in 0..clip.frames() {
            if filter.push(clip.pose(frame)).expect("finite").is_some() {
                most = most.max((pose::triple(filter.body.q(), 0) - root(&clip, frame - 1)).norm());
            }
        }
        most
    };
    let (given, unknown) = (away(true), away(false));
    println!("root error {given} m, with unknown ramp {unknown} m");
    assert!(given < 0.08 && given < 0.5 * unknown, "{given} {unknown}");
}
