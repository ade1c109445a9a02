//! Structural edits preserve everything else: reroot, lock and unlock, cut, connections, handles, revisions.

use anthropi_dynamics::Error;
use anthropi_dynamics::algo::{centroidal, energy};
use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{
    Change, Figure, FigureBuilder, JointHandle, JointSpec, LinkHandle, LinkSpec, State,
};
use anthropi_dynamics::sim::Simulation;
use anthropi_dynamics::spatial::{Inertia, Motion, RotationOrder, Transform, Vec3, vec3};
use std::collections::BTreeSet;
use testkit::*;

/// Rounding of a pose or velocity carried through up to 40 links.
const CARRIED: f64 = 1e-12;
/// Rounding of forward dynamics of the same figure from two roots.
const ACCELERATION: f64 = 1e-9;
/// Coordinates that go through angles and back, at a middle angle with cosine one.
const ROUND_TRIP: f64 = 1e-14;

const SIZES: [usize; 6] = [3, 5, 8, 13, 21, 40];

/// Invariants, link by link in the order of `links`.
struct Snapshot {
    poses: Vec<Transform>,
    velocities: Vec<Motion>,
    kinetic: f64,
    momentum: Vec<f64>,
}

fn snapshot(figure: &Figure, links: &[LinkHandle], s: &State) -> Snapshot {
    let (forest, k) = (figure.forest(), kinematics_of(figure, s, None));
    Snapshot {
        poses: links.iter().map(|l| k.link_pose(forest, *l)).collect(),
        velocities: links.iter().map(|l| k.link_velocity(forest, *l)).collect(),
        kinetic: energy::kinetic(forest, &k, &s.v),
        momentum: centroidal::momentum_about_origin(forest, &k).to_array().to_vec(),
    }
}

fn snapshot_off(got: &Snapshot, want: &Snapshot) -> f64 {
    let poses = got.poses.iter().zip(&want.poses).map(|(g, w)| pose_off(g, w));
    let velocities = got.velocities.iter().zip(&want.velocities).map(|(g, w)| motion_off(*g, *w));
    let kinetic = off(&[got.kinetic], &[want.kinetic]);
    let all: Vec<f64> =
        poses.chain(velocities).chain([kinetic, off(&got.momentum, &want.momentum)]).collect();
    off(&all, &vec![0.0; all.len()])
}

/// Accelerations of all links under gravity alone.
fn falling(figure: &Figure, links: &[LinkHandle], s: &State) -> Vec<f64> {
    let a = forward_dynamics(figure, s, &vec![0.0; s.v.len()], None);
    let k = kinematics_of(figure, s, Some(&a));
    links.iter().flat_map(|l| k.link_acceleration(figure.forest(), *l).to_array()).collect()
}

fn links_of(figure: &Figure) -> Vec<LinkHandle> {
    figure.links().map(|(h, _)| h).collect()
}

fn joints_of(figure: &Figure) -> Vec<JointHandle> {
    figure.joints().map(|(h, _)| h).collect()
}

/// Children of a link by its own pointers, virtual ones too.
fn children(figure: &Figure, link: LinkHandle) -> Vec<LinkHandle> {
    let mut all = Vec::new();
    let mut next = figure.link(link).unwrap().child();
    while let Some(c) = next {
        assert!(!all.contains(&c), "a circle of brothers");
        all.push(c);
        next = figure.link(c).unwrap().brother();
    }
    all
}

/// Pointers agree with each other, and walking visits `expected` once each, parents first.
fn check_pointers(figure: &Figure, expected: &[LinkHandle]) {
    let mut seen = BTreeSet::new();
    let mut last_root = None;
    for (handle, link) in figure.links() {
        assert!(seen.insert(handle), "visited twice");
        match link.parent() {
            Some(p) => {
                assert!(seen.contains(&p), "a parent comes first");
                assert_eq!(
                    children(figure, p).iter().filter(|c| **c == handle).count(),
                    1,
                    "its parent has it once"
                );
            }
            None => {
                // roots are brothers of each other, in the order they are walked
                if let Some(before) = last_root.replace(handle) {
                    let mut next = figure.link(before).unwrap().brother();
                    while let Some(l) = next.filter(|l| figure.link(*l).unwrap().is_virtual()) {
                        next = figure.link(l).unwrap().brother();
                    }
                    assert_eq!(next, Some(handle), "roots are brothers");
                }
            }
        }
        for c in children(figure, handle) {
            assert_eq!(figure.link(c).unwrap().parent(), Some(handle), "a child knows its parent");
        }
        assert_eq!(figure.joint(link.joint()).unwrap().child(), handle, "its joint knows it");
    }
    assert_eq!(seen, expected.iter().copied().collect(), "all links, and no other");
    let places = figure.joints().map(|(h, _)| figure.forest().joint_place(h));
    let (nq, nv) = places.fold((0, 0), |(q, v), p| {
        assert_eq!((p.iq, p.iv), (q, v), "coordinates are in the order of the walk");
        (q + p.nq, v + p.nv)
    });
    assert_eq!((nq, nv), (figure.forest().nq(), figure.forest().nv()));
}

/// Names of all handles, to see that each still means the same.
fn names(figure: &Figure, links: &[LinkHandle], joints: &[JointHandle]) -> Vec<String> {
    let of_links = links.iter().map(|l| figure.link(*l).unwrap().spec.name.clone());
    of_links.chain(joints.iter().map(|j| figure.joint(*j).unwrap().name.clone())).collect()
}

fn check_change(figure: &Figure, change: Change, before: (u64, usize), after: usize) {
    assert_eq!(change, Change { revision: before.0 + 1, nv_before: before.1, nv_after: after });
    assert_eq!((figure.revision(), figure.forest().nv()), (change.revision, change.nv_after));
}

fn everything(figure: &Figure, s: &State) -> String {
    let parts: Vec<String> =
        figure.links().map(|(h, l)| format!("{h:?} {l:?} {:?}", figure.joint(l.joint()))).collect();
    let more: Vec<String> = figure.connections().map(|(h, l, j)| format!("{h:?} {l:?} {j:?}")).collect();
    format!("{parts:?} {more:?} {:?} {:?} {:?} {}", figure.forest().bodies(), s.q, s.v, figure.revision())
}

// ---------------------------------------------------------------- reroot

#[test]
fn rerooting_to_any_link_keeps_the_motion() {
    let mut carried = Residuals::new("reroot: pose, velocity, energy, momentum", CARRIED);
    let mut falls = Residuals::new("reroot: accelerations", ACCELERATION);
    let mut returned = Residuals::new("reroot there and back: poses", CARRIED);
    for (i, links) in SIZES.into_iter().enumerate() {
        for rotors in [false, true] {
            let seed = i as u64 + 50;
            let figure = random_tree(seed, links, JointKind::Free, rotors);
            let s = random_state(&figure, seed);
            let (all, joints) = (links_of(&figure), joints_of(&figure));
            let (want, want_falling) = (snapshot(&figure, &all, &s), falling(&figure, &all, &s));
            let want_names = names(&figure, &all, &joints);
            let root = figure.root_of(all[0]);
            for &to in &all {
                let at = || {
                    format!(
                        "seed {seed}, {links} links, rotors {rotors}, to {}",
                        figure.link(to).unwrap().spec.name
                    )
                };
                let (mut f, mut t) = (figure.clone(), s.clone());
                let change = f.reroot(to, &mut t).unwrap();
                check_change(&f, change, (figure.revision(), s.v.len()), s.v.len());
                check_pointers(&f, &all);
                assert_eq!(names(&f, &all, &joints), want_names);
                assert_eq!((f.root_of(root), f.link(to).unwrap().parent()), (to, None));
                carried.see(snapshot_off(&snapshot(&f, &all, &t), &want), at);
                falls.see(off(&falling(&f, &all, &t), &want_falling), at);
                f.reroot(root, &mut t).unwrap();
                check_pointers(&f, &all);
                returned.see(snapshot_off(&snapshot(&f, &all, &t), &want), at);
            }
        }
    }
    carried.finish();
    falls.finish();
    returned.finish();
}

#[test]
fn rerooting_from_link_to_link_adds_no_drift() {
    let mut carried = Residuals::new("reroot through all links: motion", CARRIED);
    for seed in 0..10 {
        let mut figure = random_tree(seed, 25, JointKind::Free, false);
        let mut s = random_state(&figure, seed);
        let all = links_of(&figure);
        let want = snapshot(&figure, &all, &s);
        let joints: Vec<_> = figure.joints().map(|(h, j)| (h, j.kind.name())).collect();
        for &to in all.iter().chain([&all[0]]) {
            figure.reroot(to, &mut s).unwrap();
        }
        carried.see(snapshot_off(&snapshot(&figure, &all, &s), &want), || format!("seed {seed}"));
        // every joint has kept its kind; only the free one is at the world
        for (h, kind) in joints {
            assert_eq!(figure.joint(h).unwrap().kind.name(), kind);
        }
    }
    carried.finish();
}

#[test]
fn rerooting_with_locks_keeps_the_motion() {
    let mut carried = Residuals::new("reroot with locks: motion", CARRIED);
    let mut falls = Residuals::new("reroot with locks: accelerations", ACCELERATION);
    for seed in 0..20 {
        let mut figure = random_tree(seed, 12, JointKind::Free, false);
        let mut s = random_state(&figure, seed);
        let (all, mut rng) = (links_of(&figure), Rng::new(seed));
        for j in joints_of(&figure) {
            let kind = figure.joint(j).unwrap().kind;
            for k in 0..if kind == JointKind::Free { 0 } else { kind.nv() } {
                if rng.uniform() < 0.4 {
                    figure.lock(j, k, &mut s).unwrap();
                }
            }
        }
        let (want, want_falling) = (snapshot(&figure, &all, &s), falling(&figure, &all, &s));
        for &to in &all {
            let (mut f, mut t) = (figure.clone(), s.clone());
            f.reroot(to, &mut t).unwrap();
            check_pointers(&f, &all);
            carried.see(snapshot_off(&snapshot(&f, &all, &t), &want), || format!("seed {seed}"));
            falls.see(off(&falling(&f, &all, &t), &want_falling), || format!("seed {seed}"));
        }
    }
    carried.finish();
    falls.finish();
}

#[test]
fn a_fixed_figure_refuses_another_root_and_is_unchanged() {
    for (seed, kind) in
        [JointKind::Fixed, JointKind::Spherical, JointKind::Revolute { axis: vec3(0.0, 0.0, 1.0) }]
            .into_iter()
            .enumerate()
    {
        let mut figure = random_tree(seed as u64, 6, kind, false);
        let mut s = random_state(&figure, 1);
        let before = everything(&figure, &s);
        for link in links_of(&figure) {
            let error = figure.reroot(link, &mut s).unwrap_err();
            let (link, joint) = (figure.link(link).unwrap().spec.name.clone(), "j0".into());
            assert_eq!(error, Error::BaseNotFree { link, joint, kind: kind.name() });
        }
        assert_eq!(everything(&figure, &s), before);
    }
}

// ---------------------------------------------------------------- lock, unlock

/// Every lockable degree of freedom of random trees, with a state in which its rate is zero.
fn each_lock(mut f: impl FnMut(&str, &Figure, &State, JointHandle, usize)) {
    for (i, links) in SIZES.into_iter().enumerate() {
        let seed = i as u64 + 80;
        let root = random_kind(&mut Rng::new(seed), true);
        let figure = random_tree(seed, links, root, true);
        for (handle, joint) in figure.joints().map(|(h, j)| (h, j.clone())).collect::<Vec<_>>() {
            if matches!(joint.kind, JointKind::Free | JointKind::Fixed) {
                continue;
            }
            for k in 0..joint.kind.nv() {
                let mut s = random_state(&figure, seed);
                if joint.kind == JointKind::Spherical {
                    let (angles, mut rates) = ball_angles(&figure, &s, handle);
                    rates[k] = 0.0;
                    let w = joint.order.rates_to_velocity(angles).mul(Vec3::from_array(&rates));
                    s.set_v(&figure, handle, &w.to_array()).unwrap();
                } else {
                    s.v[figure.forest().joint_place(handle).iv + k] = 0.0;
                }
                f(
                    &format!("seed {seed} {} {} dof {k}", joint.kind.name(), joint.name),
                    &figure,
                    &s,
                    handle,
                    k,
                );
            }
        }
    }
}

/// Angles of an unlocked spherical joint in its rotation order, and some rates.
fn ball_angles(figure: &Figure, s: &State, joint: JointHandle) -> ([f64; 3], [f64; 3]) {
    let q = s.q_of(figure, joint).unwrap();
    let quat = anthropi_dynamics::spatial::Quat([q[0], q[1], q[2], q[3]]);
    (figure.joint(joint).unwrap().order.angles(quat), [0.7, -1.1, 0.4])
}

#[test]
fn locking_and_unlocking_a_joint_at_rest_changes_nothing() {
    let mut carried = Residuals::new("lock: pose, velocity, energy", CARRIED);
    let mut round_trip = Residuals::new("lock, unlock: coordinates", ROUND_TRIP);
    each_lock(|what, figure, s, joint, k| {
        let all = links_of(figure);
        let is_ball = figure.joint(joint).unwrap().kind == JointKind::Spherical;
        let mut want = snapshot(figure, &all, s);
        let (mut f, mut t) = (figure.clone(), s.clone());
        let change = f.lock(joint, k, &mut t).unwrap();
        check_change(&f, change, (figure.revision(), s.v.len()), s.v.len() - 1);
        check_pointers(&f, &all);
        let mut got = snapshot(&f, &all, &t);
        if is_ball {
            // rotors of a ball turn about its axes, those of a locked ball about its angles: not the same energy
            (got.kinetic, want.kinetic) = (0.0, 0.0);
        }
        carried.see(snapshot_off(&got, &want), || what.into());
        // nothing but the joint has changed
        for (h, j) in figure.joints() {
            if h != joint {
                assert_eq!(format!("{j:?}"), format!("{:?}", f.joint(h).unwrap()), "{what}");
                assert_eq!(t.q_of(&f, h), s.q_of(figure, h), "{what}");
                assert_eq!(t.v_of(&f, h), s.v_of(figure, h), "{what}");
            }
        }
        let change = f.unlock(joint, k, &mut t).unwrap();
        check_change(&f, change, (figure.revision() + 1, s.v.len() - 1), s.v.len());
        if is_ball {
            let (angles, _) = ball_angles(figure, s, joint);
            let (q, q0) = (t.q_of(&f, joint).unwrap(), s.q_of(figure, joint).unwrap());
            let sign = dot(q, q0).signum();
            let q: Vec<f64> = q.iter().map(|x| sign * x).collect();
            let cosine = angles[1].cos();
            round_trip.see(off(&q, q0) * cosine, || format!("{what} q"));
            round_trip.see(off(t.v_of(&f, joint).unwrap(), s.v_of(figure, joint).unwrap()) * cosine, || {
                format!("{what} v")
            });
        } else {
            assert_eq!((&t.q, &t.v), (&s.q, &s.v), "{what}: single axes keep their bits");
        }
    });
    carried.finish();
    round_trip.finish();
}

#[test]
fn a_locked_figure_moves_as_one_constrained_to_stand_there() {
    let mut solved = Residuals::new("lock: accelerations by constrained solve", ACCELERATION);
    each_lock(|what, figure, s, joint, k| {
        if figure.joint(joint).unwrap().kind == JointKind::Spherical {
            return;
        }
        let n = s.v.len();
        if n == 1 {
            return;
        }
        let locked = figure.forest().joint_place(joint).iv + k;
        let tau = random_vector(n, 5, 10.0);
        let (m, bias) = (dense_mass_matrix(figure, &s.q), inverse_dynamics(figure, s, &vec![0.0; n], None));
        // that degree of freedom has no acceleration: its row and column go
        let kept: Vec<usize> = (0..n).filter(|i| *i != locked).collect();
        let left = nalgebra::DMatrix::from_fn(n - 1, n - 1, |i, j| m[kept[i]][kept[j]]);
        let right = nalgebra::DVector::from_fn(n - 1, |i, _| tau[kept[i]] - bias[kept[i]]);
        let want = nalgebra::Cholesky::new(left).expect("positive definite").solve(&right);
        let (mut f, mut t) = (figure.clone(), s.clone());
        f.lock(joint, k, &mut t).unwrap();
        let kept_tau: Vec<f64> = kept.iter().map(|i| tau[*i]).collect();
        solved.see(off(&forward_dynamics(&f, &t, &kept_tau, None), want.as_slice()), || what.into());
    });
    solved.finish();
}

/// A ball between two links, with a link beyond it.
fn figure_with_ball(seed: u64, order: RotationOrder) -> (Figure, JointHandle) {
    let mut rng = Rng::new(seed);
    let mut b = FigureBuilder::new("ball");
    let base = b
        .add(
            LinkSpec::new("base", rng.inertia()),
            JointSpec::new("base", JointKind::Revolute { axis: rng.unit() }),
        )
        .unwrap();
    let mut ball = JointSpec::new("ball", JointKind::Spherical).on(base, rng.transform());
    (ball.order, ball.child_from_joint) = (order, rng.transform());
    let arm = b.add(LinkSpec::new("arm", rng.inertia()), ball).unwrap();
    let tip = JointSpec::new("tip", JointKind::Revolute { axis: rng.unit() }).on(arm, rng.transform());
    b.add(LinkSpec::new("tip", rng.inertia()), tip).unwrap();
    let figure = b.build().unwrap();
    let joint = figure.find_joint("ball").unwrap();
    (figure, joint)
}

/// The six orders in which three degrees of freedom can be locked.
const SEQUENCES: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

#[test]
fn a_ball_is_locked_angle_by_angle() {
    let mut carried = Residuals::new("ball locks: poses", CARRIED);
    let mut rates = Residuals::new("ball locks: motion of what is left", CARRIED);
    for order in RotationOrder::ALL {
        for (seed, sequence) in SEQUENCES.into_iter().enumerate() {
            let (mut figure, ball) = figure_with_ball(seed as u64, order);
            let mut s = random_state(&figure, seed as u64);
            let all = links_of(&figure);
            let (angles, mut rate) = ball_angles(&figure, &s, ball);
            // kinetic energy and velocities are those of the angles' rates with the locked ones zero
            let free = figure.clone();
            let mut u = s.clone();
            let e = order.rates_to_velocity(angles);
            s.set_v(&figure, ball, &e.mul(Vec3::from_array(&rate)).to_array()).unwrap();
            for (done, k) in sequence.into_iter().enumerate() {
                figure.lock(ball, k, &mut s).unwrap();
                assert_eq!(figure.forest().joint_place(ball).nv, 2 - done);
                assert_eq!(s.q_of(&figure, ball).unwrap().len(), 2 - done);
                rate[k] = 0.0;
                u.set_v(&free, ball, &e.mul(Vec3::from_array(&rate)).to_array()).unwrap();
                let (got, want) = (snapshot(&figure, &all, &s), snapshot(&free, &all, &u));
                for (g, w) in got.poses.iter().zip(&want.poses) {
                    carried.see(pose_off(g, w), || format!("{order:?} {sequence:?} after {}", done + 1));
                }
                rates.see(snapshot_off(&got, &want) * angles[1].cos(), || {
                    format!("{order:?} {sequence:?} after {}", done + 1)
                });
            }
            // and back, in the same order
            for (done, k) in sequence.into_iter().enumerate() {
                figure.unlock(ball, k, &mut s).unwrap();
                assert_eq!(figure.forest().joint_place(ball).nv, done + 1);
            }
            assert_eq!(s.q_of(&figure, ball).unwrap().len(), 4);
            let (got, want) = (snapshot(&figure, &all, &s), snapshot(&free, &all, &u));
            carried.see(snapshot_off(&got, &want), || format!("{order:?} {sequence:?} unlocked"));
        }
    }
    carried.finish();
    rates.finish();
}

#[test]
fn a_ball_with_a_lock_moves_as_one_constrained_to_stand_there() {
    // d'Alembert: the forces that the unlocked ball needs for the locked figure's motion do the applied forces'
    // work along every free angle
    const DIFFERENCE: f64 = 1e-7; // central differences of the rates matrix
    let mut works = Residuals::new("ball lock: virtual work", DIFFERENCE);
    for order in RotationOrder::ALL {
        for (seed, locked) in (0..12).map(|i| (i, i as usize % 3)) {
            let (free, ball) = figure_with_ball(seed, order);
            let mut s = random_state(&free, seed);
            let (angles, mut rate) = ball_angles(&free, &s, ball);
            rate[locked] = 0.0;
            let w = order.rates_to_velocity(angles).mul(Vec3::from_array(&rate));
            s.set_v(&free, ball, &w.to_array()).unwrap();
            let (mut figure, mut t) = (free.clone(), s.clone());
            figure.lock(ball, locked, &mut t).unwrap();
            let tau = random_vector(t.v.len(), seed, 5.0);
            let a = forward_dynamics(&figure, &t, &tau, None);
            // the same motion in the coordinates of the free ball: w' = E r'' + E' r'
            let kept: Vec<usize> = (0..3).filter(|k| *k != locked).collect();
            let place = figure.forest().joint_place(ball);
            let mut second = [0.0; 3];
            kept.iter().enumerate().for_each(|(i, k)| second[*k] = a[place.iv + i]);
            let e_at = |h: f64| order.rates_to_velocity(core::array::from_fn(|k| angles[k] + h * rate[k]));
            let h = 1e-6;
            let turned = (e_at(h) - e_at(-h)).scale_by(0.5 / h).mul(Vec3::from_array(&rate));
            let own = e_at(0.0).mul(Vec3::from_array(&second)) + turned;
            let mut whole = a[..place.iv].to_vec();
            whole.extend(own.to_array());
            whole.extend(&a[place.iv + 2..]);
            let needed = inverse_dynamics(&free, &s, &whole, None);
            let torque = Vec3::from_array(&[needed[place.iv], needed[place.iv + 1], needed[place.iv + 2]]);
            let e = e_at(0.0);
            let columns = [e.x, e.y, e.z];
            let mut got = needed[..place.iv].to_vec();
            got.extend(kept.iter().map(|k| columns[*k].dot(torque)));
            got.extend(&needed[place.iv + 3..]);
            works.see(off(&got, &tau) * angles[1].cos(), || format!("{order:?} seed {seed} locked {locked}"));
        }
    }
    works.finish();
}

#[test]
fn a_ball_with_a_lock_that_has_swung_past_a_right_angle_keeps_its_pose() {
    // with one angle locked the others are plain coordinates: the middle one may go beyond 90 degrees
    let mut carried = Residuals::new("ball locks past a right angle: poses", CARRIED);
    for order in RotationOrder::ALL {
        for [first, second, _] in SEQUENCES {
            if first == 1 {
                continue;
            }
            let (mut figure, ball) = figure_with_ball(3, order);
            let mut s = random_state(&figure, 3);
            let all = links_of(&figure);
            figure.lock(ball, first, &mut s).unwrap();
            // free angles are middle and last, or first and middle
            let middle = usize::from(first == 2);
            let mut q = s.q_of(&figure, ball).unwrap().to_vec();
            q[middle] = 2.0;
            s.set_q(&figure, ball, &q).unwrap();
            s.set_v(&figure, ball, &[0.0, 0.0]).unwrap();
            let want = snapshot(&figure, &all, &s);
            let (mut f, mut t) = (figure.clone(), s.clone());
            f.lock(ball, second, &mut t).unwrap();
            carried.see(snapshot_off(&snapshot(&f, &all, &t), &want), || {
                format!("{order:?} locks {first} then {second}")
            });
            f.unlock(ball, second, &mut t).unwrap();
            carried.see(snapshot_off(&snapshot(&f, &all, &t), &want), || {
                format!("{order:?} locks {first}, {second}, unlocks {second}")
            });
            figure.unlock(ball, first, &mut s).unwrap();
            carried.see(snapshot_off(&snapshot(&figure, &all, &s), &want), || {
                format!("{order:?} locks {first}, unlocks {first}")
            });
        }
    }
    carried.finish();
}

/// Locks each angle of a ball close to the pose where first and last axes fall together.
fn each_gimbal_lock(mut f: impl FnMut(String, Snapshot, Snapshot)) {
    for order in RotationOrder::ALL {
        for near in [0.0, 1e-14, 1e-11, 1e-9, 1e-6, 1e-4] {
            for k in 0..3 {
                let (mut figure, ball) = figure_with_ball(5, order);
                let mut s = random_state(&figure, 5);
                let all = links_of(&figure);
                let middle = core::f64::consts::FRAC_PI_2 - near;
                s.set_q(&figure, ball, &order.quat([0.4, middle, -0.9]).0).unwrap();
                let before = snapshot(&figure, &all, &s);
                figure.lock(ball, k, &mut s).unwrap();
                let after = snapshot(&figure, &all, &s);
                f(format!("{order:?}, {near:e} before the right angle, dof {k}"), before, after);
            }
        }
    }
}

#[test]
fn locking_a_ball_near_the_gimbal_pose_keeps_its_pose() {
    let mut carried = Residuals::new("ball locks near the gimbal pose: poses", CARRIED);
    each_gimbal_lock(|what, before, after| {
        for (g, w) in after.poses.iter().zip(&before.poses) {
            carried.see(pose_off(g, w), || what.clone());
        }
    });
    carried.finish();
}

#[test]
fn locking_a_ball_near_the_gimbal_pose_gives_no_runaway_velocity() {
    // the limit springs take the cosine of the middle angle as at least 0.05: rates grow to 20 times the velocity
    let mut faster = Residuals::new("ball locks near the gimbal pose: growth of velocity", 100.0);
    each_gimbal_lock(|what, before, after| {
        let speed =
            |x: &Snapshot| x.velocities.iter().map(|v| v.angular.norm() + v.linear.norm()).sum::<f64>();
        faster.see(speed(&after) / speed(&before), || what);
    });
    faster.finish();
}

#[test]
fn invalid_locks_are_refused_and_nothing_changes() {
    let mut figure = random_tree(4, 8, JointKind::Free, false);
    let mut s = random_state(&figure, 4);
    let before = everything(&figure, &s);
    for (handle, joint) in figure.joints().map(|(h, j)| (h, j.clone())).collect::<Vec<_>>() {
        let beyond =
            if matches!(joint.kind, JointKind::Free | JointKind::Fixed) { 0 } else { joint.kind.nv() };
        for verb in [Figure::lock, Figure::unlock] {
            let error = verb(&mut figure, handle, beyond, &mut s).unwrap_err();
            assert!(matches!(error, Error::WrongKind { .. }), "{error}");
        }
    }
    assert_eq!(everything(&figure, &s), before);
}

// ---------------------------------------------------------------- cut

/// Links on and beyond a link.
fn beyond(figure: &Figure, link: LinkHandle) -> Vec<LinkHandle> {
    let mut all = vec![link];
    let mut i = 0;
    while i < all.len() {
        all.extend(children(figure, all[i]).into_iter().filter(|c| !figure.link(*c).unwrap().is_virtual()));
        i += 1;
    }
    all
}

/// Acceleration of the common centre of mass of some links under gravity alone.
fn center_acceleration(figure: &Figure, links: &[LinkHandle], s: &State) -> Vec3 {
    let forest = figure.forest();
    let a = forward_dynamics(figure, s, &vec![0.0; s.v.len()], None);
    let k = kinematics_of(figure, s, Some(&a));
    let mut sum = (Vec3::ZERO, 0.0);
    for &l in links {
        let (inertia, place) = (figure.link(l).unwrap().spec.inertia, forest.link_place(l));
        let arm = k.body_pose(place.body).rotation.mul(place.body_from_link.point(inertia.center()));
        sum =
            (sum.0 + k.point_acceleration(place.body, arm).linear.scale(inertia.mass), sum.1 + inertia.mass);
    }
    sum.0.scale(1.0 / sum.1)
}

#[test]
fn a_cut_part_carries_its_motion_on_and_falls() {
    let mut carried = Residuals::new("cut: pose, velocity, energy, momentum", CARRIED);
    let mut falls = Residuals::new("cut: acceleration of the centre", ACCELERATION);
    for (i, links) in SIZES.into_iter().enumerate() {
        for root in [JointKind::Free, JointKind::Fixed, JointKind::Spherical] {
            let seed = i as u64 + 30;
            let figure = random_tree(seed, links, root, false);
            let s = random_state(&figure, seed);
            let (all, joints) = (links_of(&figure), joints_of(&figure));
            let want = snapshot(&figure, &all, &s);
            let want_names = names(&figure, &all, &joints);
            for (handle, joint) in figure.joints().filter(|(_, j)| j.kind != JointKind::Free) {
                let at = || {
                    format!(
                        "seed {seed}, {links} links on {}, joint {} {}",
                        root.name(),
                        joint.name,
                        joint.kind.name()
                    )
                };
                let (mut f, mut t) = (figure.clone(), s.clone());
                let change = f.cut(handle, &mut t).unwrap();
                check_change(&f, change, (figure.revision(), s.v.len()), s.v.len() - joint.kind.nv() + 6);
                check_pointers(&f, &all);
                assert_eq!(names(&f, &all, &joints), want_names);
                assert_eq!(f.joint(handle).unwrap().kind, JointKind::Free);
                assert_eq!(f.link(joint.child()).unwrap().parent(), None);
                carried.see(snapshot_off(&snapshot(&f, &all, &t), &want), at);
                let part = beyond(&f, joint.child());
                let a = center_acceleration(&f, &part, &t);
                falls.see(off(&a.to_array(), &f.gravity().to_array()), at);
                for (h, j) in figure.joints().filter(|(h, _)| *h != handle) {
                    assert_eq!(format!("{j:?}"), format!("{:?}", f.joint(h).unwrap()));
                    assert_eq!((t.q_of(&f, h), t.v_of(&f, h)), (s.q_of(&figure, h), s.v_of(&figure, h)));
                }
                // the cut part can be rerooted now, and cannot be cut again
                f.reroot(*part.last().unwrap(), &mut t).unwrap();
                carried.see(snapshot_off(&snapshot(&f, &all, &t), &want), at);
                assert!(matches!(f.cut(handle, &mut t), Err(Error::WrongKind { .. })));
            }
        }
    }
    carried.finish();
    falls.finish();
}

#[test]
fn a_joint_with_locks_is_cut_like_any_other() {
    let mut carried = Residuals::new("cut with locks: motion", CARRIED);
    each_lock(|what, figure, s, joint, k| {
        let (mut f, mut t) = (figure.clone(), s.clone());
        f.lock(joint, k, &mut t).unwrap();
        let (all, nv, left) = (links_of(&f), t.v.len(), f.forest().joint_place(joint).nv);
        let mut want = snapshot(&f, &all, &t);
        let change = f.cut(joint, &mut t).unwrap();
        assert_eq!((change.nv_before, change.nv_after), (nv, nv - left + 6), "{what}");
        check_pointers(&f, &all);
        let mut got = snapshot(&f, &all, &t);
        // rotors of the joint are gone with it
        (got.kinetic, want.kinetic) = (0.0, 0.0);
        carried.see(snapshot_off(&got, &want), || what.into());
    });
    carried.finish();
}

#[test]
fn home_stays_home_through_cut_and_reroot() {
    let mut stays = Residuals::new("home pose after edits", CARRIED);
    for seed in 0..10 {
        let mut b = FigureBuilder::new("home");
        let mut rng = Rng::new(seed);
        let mut parent = None;
        for i in 0..8 {
            let kind = if i == 0 { JointKind::Free } else { random_kind(&mut rng, false) };
            let mut joint = JointSpec::new(format!("j{i}"), kind);
            (joint.parent, joint.parent_from_joint, joint.child_from_joint) =
                (parent, rng.transform(), rng.transform());
            let mut home: [f64; 7] = core::array::from_fn(|_| rng.signed());
            match kind {
                JointKind::Spherical => home[..4].copy_from_slice(&rng.quat().0),
                JointKind::Free => home[3..].copy_from_slice(&rng.quat().0),
                _ => {}
            }
            joint.home = Some(home);
            parent = Some(b.add(LinkSpec::new(format!("l{i}"), rng.inertia()), joint).unwrap());
        }
        let figure = b.build().unwrap();
        let all = links_of(&figure);
        let want = snapshot(&figure, &all, &State::home(&figure));
        for (k, &link) in all.iter().enumerate() {
            let (mut f, mut t) = (figure.clone(), random_state(&figure, seed));
            f.reroot(link, &mut t).unwrap();
            stays.see(snapshot_off(&snapshot(&f, &all, &State::home(&f)), &want), || {
                format!("seed {seed} reroot {k}")
            });
            let (mut f, mut t) = (figure.clone(), random_state(&figure, seed));
            if k > 0 {
                let joint = f.link(link).unwrap().joint();
                f.cut(joint, &mut t).unwrap();
                stays.see(snapshot_off(&snapshot(&f, &all, &State::home(&f)), &want), || {
                    format!("seed {seed} cut {k}")
                });
            }
        }
    }
    stays.finish();
}

#[test]
fn a_part_without_mass_is_not_cut_off() {
    let mut rng = Rng::new(1);
    let mut b = FigureBuilder::new("hat");
    let body = b.add(LinkSpec::new("body", rng.inertia()), JointSpec::new("base", JointKind::Free)).unwrap();
    let hat = JointSpec::new("hat", JointKind::Fixed).on(body, rng.transform());
    b.add(LinkSpec::new("hat", Inertia::ZERO), hat).unwrap();
    let point = Inertia::about_center(1.0, vec3(0.2, 0.0, 0.0), Default::default());
    let pin =
        JointSpec::new("pin", JointKind::Revolute { axis: vec3(0.0, 0.0, 1.0) }).on(body, rng.transform());
    b.add(LinkSpec::new("pin", point), pin).unwrap();
    let mut figure = b.build().unwrap();
    let mut s = random_state(&figure, 1);
    let before = everything(&figure, &s);
    for name in ["hat", "pin"] {
        let joint = figure.find_joint(name).unwrap();
        assert_eq!(figure.cut(joint, &mut s), Err(Error::NoInertia { joint: name.into() }));
        assert_eq!(everything(&figure, &s), before);
    }
    let base = figure.find_joint("base").unwrap();
    assert!(matches!(figure.cut(base, &mut s), Err(Error::WrongKind { .. })));
    assert_eq!(everything(&figure, &s), before);
}

// ---------------------------------------------------------------- connections, handles, states

/// A free tree whose last link is also joined to another one.
fn looped(seed: u64) -> (Figure, JointHandle, LinkHandle) {
    let mut b = FigureBuilder::new("loop");
    let all = add_random_tree(&mut b, &mut Rng::new(seed), "", 8, JointKind::Free, false);
    let joint = JointSpec::new("clasp", JointKind::Revolute { axis: vec3(0.0, 1.0, 0.0) })
        .on(all[2], Transform::identity());
    let clasp = b.connect(all[7], joint).unwrap();
    (b.build().unwrap(), clasp, all[7])
}

#[test]
fn cutting_a_connection_removes_it_and_nothing_else() {
    let (mut figure, clasp, real) = looped(1);
    let mut s = random_state(&figure, 1);
    let (all, joints) = (links_of(&figure), joints_of(&figure));
    let (want, want_names) = (snapshot(&figure, &all, &s), names(&figure, &all, &joints));
    let (q, v) = (s.q.clone(), s.v.clone());
    let (handle, link, joint) = figure.connections().next().expect("one connection");
    assert_eq!((handle, link.real(), joint.name.as_str()), (clasp, Some(real), "clasp"));
    let virtual_link = joint.child();
    assert_eq!(figure.joints().filter(|(h, _)| *h == clasp).count(), 0, "it has no coordinates");
    let change = figure.cut(clasp, &mut s).unwrap();
    check_change(&figure, change, (1, v.len()), v.len());
    check_pointers(&figure, &all);
    assert_eq!(figure.connections().count(), 0);
    assert_eq!((&s.q, &s.v), (&q, &v));
    assert_eq!(snapshot_off(&snapshot(&figure, &all, &s), &want), 0.0);
    assert_eq!(names(&figure, &all, &joints), want_names);
    // handles of removed entries are refused
    let stale = |what| Error::StaleHandle { what };
    assert_eq!(figure.joint(clasp).unwrap_err(), stale("joint"));
    assert_eq!(figure.link(virtual_link).unwrap_err(), stale("link"));
    let before = everything(&figure, &s);
    assert_eq!(figure.cut(clasp, &mut s), Err(stale("joint")));
    assert_eq!(figure.lock(clasp, 0, &mut s), Err(stale("joint")));
    assert_eq!(figure.unlock(clasp, 0, &mut s), Err(stale("joint")));
    assert_eq!(figure.reroot(virtual_link, &mut s), Err(stale("link")));
    assert_eq!(s.q_of(&figure, clasp).unwrap_err(), stale("joint"));
    assert_eq!(s.set_v(&figure, clasp, &[0.0]), Err(stale("joint")));
    assert!(matches!(figure.find_joint("clasp"), Err(Error::UnknownName { .. })));
    assert_eq!(everything(&figure, &s), before);
}

#[test]
fn connections_stay_where_they_are_through_other_edits() {
    let (figure, clasp, real) = looped(2);
    let s = random_state(&figure, 2);
    let (all, holder) = (links_of(&figure), figure.find_link("l2").unwrap());
    let want = snapshot(&figure, &all, &s);
    let check = |f: &Figure, t: &State| {
        check_pointers(f, &all);
        let found: Vec<_> =
            f.connections().map(|(h, l, j)| (h, l.real(), l.parent(), j.name.clone())).collect();
        assert_eq!(found, [(clasp, Some(real), Some(holder), "clasp".into())]);
        assert_small("motion", snapshot_off(&snapshot(f, &all, t), &want), CARRIED);
    };
    for &link in &all {
        let (mut f, mut t) = (figure.clone(), s.clone());
        f.reroot(link, &mut t).unwrap();
        check(&f, &t);
    }
    for (handle, joint) in figure.joints() {
        if joint.kind != JointKind::Free {
            let (mut f, mut t) = (figure.clone(), s.clone());
            f.cut(handle, &mut t).unwrap();
            check(&f, &t);
        }
    }
}

#[test]
fn the_virtual_link_of_a_connection_cannot_become_the_root() {
    let (mut figure, clasp, _) = looped(2);
    let mut s = random_state(&figure, 2);
    let virtual_link = figure.joint(clasp).unwrap().child();
    let before = everything(&figure, &s);
    assert!(figure.reroot(virtual_link, &mut s).is_err(), "a virtual link has no mass to carry a figure");
    assert_eq!(everything(&figure, &s), before);
}

#[test]
fn a_connection_is_not_locked() {
    // a connection has no coordinates in q, so there is nothing to hold: refused, or no change of motion
    let (mut figure, clasp, _) = looped(3);
    let mut s = random_state(&figure, 3);
    let all = links_of(&figure);
    let want = snapshot(&figure, &all, &s);
    let _ = figure.lock(clasp, 0, &mut s);
    check_pointers(&figure, &all);
    assert_eq!(snapshot_off(&snapshot(&figure, &all, &s), &want), 0.0);
}

#[test]
fn a_state_of_another_revision_is_refused() {
    let figure = random_tree(3, 6, JointKind::Free, false);
    let old = random_state(&figure, 3);
    let (joint, k) =
        figure.joints().find(|(_, j)| (1..4).contains(&j.kind.nv())).map(|(h, _)| (h, 0)).unwrap();
    let root = links_of(&figure)[0];
    let (mut f, mut new) = (figure.clone(), old.clone());
    f.lock(joint, k, &mut new).unwrap();
    f.unlock(joint, k, &mut new).unwrap();
    let stale = Error::StaleState { state: 1, figure: 3 };
    let before = everything(&f, &new);
    let mut s = old.clone();
    assert_eq!(f.check(&s), Err(stale.clone()));
    assert_eq!(f.lock(joint, k, &mut s), Err(stale.clone()));
    assert_eq!(f.unlock(joint, k, &mut s), Err(stale.clone()));
    assert_eq!(f.reroot(root, &mut s), Err(stale.clone()));
    assert_eq!(f.cut(joint, &mut s), Err(stale.clone()));
    assert_eq!(s.q_of(&f, joint).unwrap_err(), stale);
    assert_eq!(s.v_of(&f, joint).unwrap_err(), stale);
    assert_eq!(s.set_q(&f, joint, &[0.0]), Err(stale.clone()));
    assert_eq!(s.set_v(&f, joint, &[0.0]), Err(stale.clone()));
    assert_eq!(Simulation::new(f.clone(), s.clone()).err(), Some(stale));
    assert_eq!((&s.q, &s.v, s.revision()), (&old.q, &old.v, 1), "a refused state is not touched");
    assert_eq!(everything(&f, &new), before);
}

#[test]
fn locking_twice_or_unlocking_what_is_free_changes_no_motion() {
    let mut carried = Residuals::new("lock twice: motion", CARRIED);
    each_lock(|what, figure, s, joint, k| {
        let all = links_of(figure);
        let (mut f, mut t) = (figure.clone(), s.clone());
        f.unlock(joint, k, &mut t).unwrap();
        assert_eq!((&t.q, &t.v), (&s.q, &s.v), "{what}: unlocking what is free");
        f.lock(joint, k, &mut t).unwrap();
        let (want, nv) = (snapshot(&f, &all, &t), t.v.len());
        let change = f.lock(joint, k, &mut t).unwrap();
        assert_eq!((change.nv_before, change.nv_after), (nv, nv));
        carried.see(snapshot_off(&snapshot(&f, &all, &t), &want), || what.into());
    });
    carried.finish();
}
