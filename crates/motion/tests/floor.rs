//! Standing on ground that is not level, and sharing the load as wanted.

mod testkit;

use anthropi_dynamics::algo::{centroidal, fk::Kinematics};
use anthropi_dynamics::model::{BodyJoint, Figure};
use anthropi_dynamics::spatial::{Quat, Vec3, vec3};
use anthropi_io::builtin;
use anthropi_motion::anatomy::{self, Side};
use anthropi_motion::filter::{self, Aim, Body, Floor, GroundForce, OnlineFilter, Settings, Solver};
use anthropi_motion::footing::Footing;
use anthropi_motion::spots::{self, Spot};
use anthropi_motion::touch::Touches;
use anthropi_motion::{Clip, Trajectory};
use testkit::*;

/// Internal step, s.
const DT: f64 = 0.001;
/// Thigh and shank, m.
const LEG: f64 = 0.8;
/// Force and moment on the root that nothing gives, N and N m: only rounding.
const NOTHING: f64 = 1e-9;
/// Forces leave their cones by no more, parts of the weight: only rounding.
const ROUNDING: f64 = 1e-9;

fn center(figure: &Figure, q: &[f64]) -> Vec3 {
    let mut k = Kinematics::default();
    k.update(figure.forest(), q, None, None);
    centroidal::center_of_mass(figure.forest(), &k)
}

/// A figure that stands on floors by spot, and the aim to stay there. Heights are those above the lowest sole.
fn standing(figure: &Figure, floor: impl Fn(Spot) -> Floor) -> (Body, Aim) {
    let anatomy = anatomy::of_figure(figure, &[]).expect("a human figure");
    let places = spots::of_figure(figure, &anatomy).expect("it has feet");
    let mut q = figure.forest().home().to_vec();
    let mut k = Kinematics::default();
    k.update(figure.forest(), &q, None, None);
    let soles =
        places.iter().flat_map(|p| p.points.iter().map(|at| k.link_pose(figure.forest(), p.link).point(*at)));
    let low = soles.map(|p| p.z).fold(f64::INFINITY, f64::min);
    // soles as the ground lies, legs bent by its height
    for place in places.iter().filter(|p| matches!(p.spot, Spot::Heel(_))) {
        let side = if place.spot.side() == Side::Left { "left" } else { "right" };
        let Floor { height, slope: [x, y] } = floor(place.spot);
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
    let zero = vec![0.0; figure.forest().nv()];
    let floors = places.iter().map(|p| floor(p.spot)).map(|f| Floor { height: f.height + low, ..f });
    let mut aim = Aim {
        q,
        v: zero.clone(),
        a: zero,
        on: places.iter().map(|p| p.spot.is_foot()).collect(),
        floor: floors.collect(),
        ..Aim::default()
    };
    let mut body = Body::new(figure, &anatomy, places, 1.0).expect("it is free");
    // the pose that has its feet on the ground is the one to keep
    body.start(&aim);
    aim.q.copy_from_slice(body.q());
    aim.center[0] = center(figure, body.q());
    (body, aim)
}

/// Steps; what each gives passes `look`.
fn go(body: &mut Body, aim: &Aim, steps: usize, look: &mut dyn FnMut(usize, &Body)) {
    for step in 0..steps {
        body.solve(aim, &[], DT);
        look(step, body);
        body.finish(DT);
    }
}

#[test]
fn figures_stand_on_slopes_and_on_steps() {
    let figure = human("human-28");
    let rise = libm::tan(10.0_f64.to_radians());
    let slopes = [[rise, 0.0], [-rise, 0.0], [0.0, rise], [0.7 * rise, -0.7 * rise]];
    let ramps = slopes.map(|slope| [Floor { height: 0.0, slope }; 2]);
    let step = [Floor::level(0.15), Floor::level(0.0)];
    for [left, right] in ramps.into_iter().chain([step]) {
        for solver in [Solver::Program, Solver::PseudoInverse] {
            let of = |spot: Spot| if spot.side() == Side::Left { left } else { right };
            let (mut body, aim) = standing(&figure, of);
            body.set_solver(solver).expect("no connections");
            let told = format!("{left:?} {right:?} {solver:?}");
            let rounding = ROUNDING * body.weight();
            let mut settled: Vec<GroundForce> = Vec::new();
            go(&mut body, &aim, 1000, &mut |step, body| {
                let (force, moment) = body.left_over();
                assert!(force.max(moment) < NOTHING, "{told}: {force:e} N, {moment:e} N m at step {step}");
                for g in body.ground() {
                    assert_eq!(g.normal, aim.floor[g.place].normal(), "{told}");
                    let up = g.normal.dot(g.force);
                    let along = (g.force - g.normal.scale(up)).norm();
                    assert!(
                        up >= -rounding && along <= body.friction * up + rounding,
                        "{told}: {g:?} at step {step}"
                    );
                }
                if step == 200 {
                    settled = body.ground().to_vec();
                }
            });
            let sum = body.ground().iter().fold(Vec3::ZERO, |s, g| s + g.force).scale(1.0 / body.weight());
            let creep = body.ground().iter().map(|g| {
                let before = settled.iter().find(|s| s.point == g.point).expect("it stood before");
                (g.at - before.at).norm()
            });
            let creep = creep.fold(0.0, f64::max);
            let (low, high) =
                body.ground().iter().fold((0.0_f64, 0.0_f64), |(l, h), g| (l.min(g.above), h.max(g.above)));
            let count = body.ground().len();
            println!("{told}: {count} points, force {sum:?}, creep {creep:e} m, {low:e} to {high:e} m above");
            assert_eq!(count, 8, "{told}");
            assert!((sum.z - 1.0).abs() < 0.02 && sum.x.hypot(sum.y) < 0.02, "{told}: {sum:?}");
            assert!(creep < 5e-4 && low > -5e-4 && high < 5e-4, "{told}");
        }
    }
}

/// Part of the load on each spot.
fn loads(body: &Body) -> Vec<f64> {
    let mut loads = vec![0.0; body.places.len()];
    body.ground().iter().for_each(|g| loads[g.place] += g.force.z / body.weight());
    loads
}

#[test]
fn feet_share_the_load_as_wanted() {
    let figure = human("human-28");
    for shares in [[0.4, 0.4, 0.1, 0.1], [0.35, 0.15, 0.15, 0.35], [0.5, 0.25, 0.2, 0.05]] {
        let (mut body, mut aim) = standing(&figure, |_| Floor::level(0.0));
        go(&mut body, &aim, 1, &mut |_, _| ());
        let mut wanted = vec![0.0; body.places.len()];
        wanted[..4].copy_from_slice(&shares);
        // the centre of mass is where this load carries it
        let count = |place: usize| body.ground().iter().filter(|g| g.place == place).count() as f64;
        let under =
            body.ground().iter().fold(Vec3::ZERO, |s, g| s + g.at.scale(wanted[g.place] / count(g.place)));
        aim.center[0] = Vec3 { z: aim.center[0].z, ..under };
        let start = body.clone();
        let off =
            |body: &Body| loads(body).iter().zip(&wanted).fold(0.0_f64, |m, (l, w)| m.max((l - w).abs()));
        go(&mut body, &aim, 2000, &mut |_, _| ());
        let unsaid = off(&body);
        (body, aim.share) = (start, wanted.clone());
        go(&mut body, &aim, 2000, &mut |_, _| ());
        println!("{shares:?}: off by {:.3}, not said {unsaid:.3}; {:.3?}", off(&body), loads(&body));
        assert!(off(&body) < 0.03, "{shares:?}: {:?}", loads(&body));
        assert!(unsaid > 2.0 * off(&body), "{shares:?}");
    }
}

#[test]
fn all_alike_is_as_if_not_said() {
    let figure = human("human-28");
    let (mut body, mut aim) = standing(&figure, |_| Floor::level(0.0));
    let mut other = body.clone();
    go(&mut body, &aim, 300, &mut |_, _| ());
    aim.share = aim.on.iter().map(|on| if *on { 0.25 } else { 0.0 }).collect();
    go(&mut other, &aim, 300, &mut |_, _| ());
    assert_eq!(body.q(), other.q());
}

/// A walk put on ground that rises by this angle, degrees: the root goes along with it, feet stand when they stood.
fn uphill(degrees: f64) -> (Clip, Floor) {
    let walk = builtin::motion("keyed-walk").expect("built in").expect("it is sound");
    let (figure, rise) = (walk.figure(), libm::tan(degrees.to_radians()));
    let anatomy = anatomy::of_figure(figure, &[]).expect("a human figure");
    let places = spots::of_figure(figure, &anatomy).expect("it has feet");
    let mut touches = Touches::of(&Trajectory::of(&walk, None), places, None);
    touches.ground.slope[0] = rise;
    let root = figure.forest().bodies().iter().find(|b| b.joint == BodyJoint::Free).expect("it is free");
    let (nq, x) = (figure.forest().nq(), root.iq as usize);
    let mut q = walk.poses().to_vec();
    q.chunks_exact_mut(nq).for_each(|q| q[x + 2] += rise * q[x]);
    let risen = Clip::new("uphill", figure.clone(), walk.dt(), q).expect("it is sound");
    let floor = Floor { height: touches.ground.height, slope: touches.ground.slope };
    (Footing::of(&Trajectory::of(&risen, None), &touches).clip, floor)
}

#[test]
fn who_walks_up_or_down_a_ramp_stays_on_it() {
    for degrees in [-6.0_f64, 10.0] {
        let (clip, _) = uphill(degrees);
        let mut steep = [f64::INFINITY, 0.0];
        let told = filter::run(&clip, &Settings::default(), &mut |_| (), &mut |step| {
            for g in step.body.ground() {
                let angle = libm::acos(g.normal.z).to_degrees();
                steep = [steep[0].min(angle), steep[1].max(angle)];
            }
        });
        let told = told.expect("it has feet");
        let rms = told.tracking.joint_rms_deg;
        println!("{degrees} degrees: normals {steep:?}, joints {rms:.2} deg, {:?}", told.proof);
        assert!(steep.iter().all(|s| (s - degrees.abs()).abs() < 0.1), "{degrees}: {steep:?}");
        assert!(told.is_consistent(), "{degrees}: fell {:?}, {:?}", told.fell, told.proof);
        assert!(rms < 6.0, "{degrees}: {rms}");
    }
}

#[test]
fn a_ramp_that_is_told_is_walked_on_line() {
    let (clip, floor) = uphill(3.0);
    let away = |told: bool| {
        let mut filter = OnlineFilter::new(clip.figure(), clip.dt()).expect("it has feet");
        told.then(|| filter.set_floor(floor));
        let mut most = 0.0_f64;
        for frame in 0..clip.frames() {
            if filter.push(clip.pose(frame)).expect("finite").is_some() {
                let (q, to) = (filter.body.q(), clip.pose(frame - 1));
                let off = vec3(q[0] - to[0], q[1] - to[1], q[2] - to[2]).norm();
                most = most.max(off);
            }
        }
        most
    };
    let (told, untold) = (away(true), away(false));
    println!("root off by {told} m, not told by {untold} m");
    assert!(told < 0.08 && told < 0.5 * untold, "{told} {untold}");
}
