//! Seeded random figures and states, and comparisons for tests.

use crate::Rng;
use anthropi_dynamics::joint::{Dof, JointKind, MAX_DOF};
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle, LinkSpec, State};
use anthropi_dynamics::sim::Simulation;
use anthropi_dynamics::spatial::{Inertia, Quat, RotationOrder, Sym3, Transform, Vec3, vec3};

/// A tree (or several) of `links` links with all kinds of joints.
pub fn random_figure(seed: u64, links: usize) -> Figure {
    build_random(seed, links, false).build().expect("a random figure is sound")
}

/// The same with armature, springs and damping on about half of the joints.
pub fn random_figure_with_rotors(seed: u64, links: usize) -> Figure {
    build_random(seed, links, true).build().expect("a random figure is sound")
}

fn build_random(seed: u64, links: usize, rotors: bool) -> FigureBuilder {
    let mut rng = Rng::new(seed);
    let mut b = FigureBuilder::new(format!("random-{seed}"));
    let mut all: Vec<LinkHandle> = Vec::new();
    for i in 0..links {
        let parent = if i == 0 || rng.uniform() < 0.04 { None } else { Some(all[rng.below(all.len())]) };
        let kind = random_kind(&mut rng, parent.is_none());
        let mut joint = JointSpec::new(format!("j{i}"), kind);
        joint.parent = parent;
        set_random_frames(&mut joint, &mut rng);
        if rotors && kind != JointKind::Free && rng.uniform() < 0.5 {
            for d in &mut joint.dof {
                d.armature = 0.1 * rng.uniform();
                d.damping = 0.2 * rng.uniform();
                d.stiffness = 3.0 * rng.uniform();
            }
        }
        all.push(b.add(LinkSpec::new(format!("l{i}"), rng.inertia()), joint).expect("sound"));
    }
    b
}

/// Random frames and rotation order; about half of the frames are parallel to the parent's, as in most figures.
fn set_random_frames(joint: &mut JointSpec, rng: &mut Rng) {
    joint.parent_from_joint =
        if rng.uniform() < 0.5 { rng.transform() } else { Transform::translation(rng.vec3(0.4)) };
    if rng.uniform() < 0.3 {
        joint.child_from_joint = rng.transform();
    }
    joint.order = RotationOrder::ALL[rng.below(6)];
}

/// A random kind of joint; free ones only at the root.
pub fn random_kind(rng: &mut Rng, at_root: bool) -> JointKind {
    let axis = if rng.uniform() < 0.5 { rng.unit() } else { vec3(0.0, 1.0, 0.0) };
    match rng.below(if at_root { 7 } else { 6 }) {
        0 | 1 => JointKind::Revolute { axis },
        2 => JointKind::Prismatic { axis },
        3 => {
            let second = if rng.uniform() < 0.5 { rng.unit() } else { axis.any_perpendicular() };
            JointKind::Universal { first: axis, second }
        }
        4 => JointKind::Spherical,
        5 if !at_root && rng.uniform() < 0.5 => JointKind::Fixed,
        5 => JointKind::Spherical,
        _ => JointKind::Free,
    }
}

/// A random pose and velocity.
pub fn random_state(figure: &Figure, seed: u64) -> State {
    let mut rng = Rng::new(seed ^ 0xABCD);
    let mut s = State::home(figure);
    for (handle, joint) in figure.joints().map(|(h, j)| (h, j.clone())).collect::<Vec<_>>() {
        let c = joint.coordinates();
        let mut q: Vec<f64> = (0..c.nq()).map(|_| rng.signed() * 1.5).collect();
        if c.nq() > c.nv() {
            let at = q.len() - 4;
            q[at..].copy_from_slice(&rng.quat().0);
        }
        let v: Vec<f64> = (0..c.nv()).map(|_| rng.signed() * 2.0).collect();
        s.set_q(figure, handle, &q).unwrap();
        s.set_v(figure, handle, &v).unwrap();
    }
    s
}

/// Numbers in [-size, size).
pub fn random_vector(n: usize, seed: u64, size: f64) -> Vec<f64> {
    let mut rng = Rng::new(seed ^ 0x1234);
    (0..n).map(|_| rng.signed() * size).collect()
}

/// Largest difference, relative to the size of the reference (at least one).
pub fn relative(got: &[f64], want: &[f64]) -> f64 {
    assert_eq!(got.len(), want.len());
    // `max` would ignore NaN
    assert!(got.iter().chain(want).all(|x| x.is_finite()), "a number is not finite: {got:?} {want:?}");
    let size = want.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    got.iter().zip(want).fold(0.0, |m: f64, (g, w)| m.max((g - w).abs())) / size
}

/// Fails with the residual if it exceeds the tolerance; with `TOL_SCALE=0` in the environment always, to show it.
pub fn assert_small(what: &str, residual: f64, tolerance: f64) {
    let scale: f64 = std::env::var("TOL_SCALE").ok().and_then(|s| s.parse().ok()).unwrap_or(1.0);
    assert!(residual <= tolerance * scale, "{what}: residual {residual:e}, tolerance {tolerance:e}");
}

/// All degrees of freedom with the same properties.
pub fn dofs(d: Dof) -> [Dof; MAX_DOF] {
    [d; MAX_DOF]
}

// shared by the tests of lanes, structure, moving base, passive forces and closed forms

use anthropi_dynamics::algo::{aba, crba, fk::Kinematics, rnea};
use anthropi_dynamics::spatial::{Force, Motion};

/// The largest of many residuals, checked at the end; `SHOW_RESIDUALS=1` prints it. NaN counts as largest.
pub struct Residuals {
    what: &'static str,
    tolerance: f64,
    worst: f64,
    at: String,
    seen: usize,
}

impl Residuals {
    /// Without residuals.
    pub fn new(what: &'static str, tolerance: f64) -> Residuals {
        Residuals { what, tolerance, worst: 0.0, at: String::new(), seen: 0 }
    }
    /// Adds a residual.
    pub fn see(&mut self, residual: f64, at: impl FnOnce() -> String) {
        self.seen += 1;
        if !self.worst.is_nan() && (residual > self.worst || residual.is_nan()) {
            (self.worst, self.at) = (residual, at());
        }
    }
    /// Fails if the largest residual exceeds the tolerance, or if there was none.
    pub fn finish(self) {
        let Residuals { what, tolerance, worst, at, seen } = self;
        if std::env::var("SHOW_RESIDUALS").is_ok() {
            eprintln!("RESIDUAL {what}: {worst:.2e} of {tolerance:.0e} in {seen} ({at})");
        }
        assert!(seen > 0, "{what}: nothing was compared");
        assert_small(&format!("{what}, {at}"), worst, tolerance);
    }
}

/// Largest difference, relative to the largest reference value (at least one); NaN if any number is.
pub fn off(got: &[f64], want: &[f64]) -> f64 {
    assert_eq!(got.len(), want.len());
    let largest = |m: f64, x: f64| if m.is_nan() || x.is_nan() { f64::NAN } else { m.max(x) };
    let size = want.iter().fold(1.0, |m, x| largest(m, x.abs()));
    got.iter().zip(want).fold(0.0, |m, (g, w)| largest(m, (g - w).abs())) / size
}

/// [`off`] for placements.
pub fn pose_off(got: &Transform, want: &Transform) -> f64 {
    let flat = |t: &Transform| {
        let mut all = t.rotation.to_rows().concat();
        all.extend(t.translation.to_array());
        all
    };
    off(&flat(got), &flat(want))
}

/// [`off`] for velocities and accelerations.
pub fn motion_off(got: Motion, want: Motion) -> f64 {
    off(&got.to_array(), &want.to_array())
}

/// One tree of `links` links with a `root` joint; optionally with armature (equal about all axes of a spherical joint).
pub fn random_tree(seed: u64, links: usize, root: JointKind, rotors: bool) -> Figure {
    let mut b = FigureBuilder::new(format!("tree-{seed}"));
    add_random_tree(&mut b, &mut Rng::new(seed), "", links, root, rotors);
    b.build().expect("a random tree is sound")
}

/// Adds such a tree; its names have the prefix.
pub fn add_random_tree(
    b: &mut FigureBuilder,
    rng: &mut Rng,
    prefix: &str,
    links: usize,
    root: JointKind,
    rotors: bool,
) -> Vec<LinkHandle> {
    let mut all: Vec<LinkHandle> = Vec::new();
    for i in 0..links {
        let parent = if i == 0 { None } else { Some(all[rng.below(all.len())]) };
        let kind = if i == 0 { root } else { random_kind(rng, false) };
        let mut joint = JointSpec::new(format!("{prefix}j{i}"), kind);
        joint.parent = parent;
        set_random_frames(&mut joint, rng);
        if rotors && kind != JointKind::Free && rng.uniform() < 0.5 {
            let same = 0.1 * rng.uniform();
            for d in &mut joint.dof {
                d.armature = if kind == JointKind::Spherical { same } else { 0.1 * rng.uniform() };
            }
        }
        all.push(b.add(LinkSpec::new(format!("{prefix}l{i}"), rng.inertia()), joint).expect("sound"));
    }
    all
}

/// Joint forces by RNEA.
pub fn inverse_dynamics(figure: &Figure, s: &State, a: &[f64], external: Option<&[Force]>) -> Vec<f64> {
    let mut tau = vec![0.0; figure.forest().nv()];
    rnea::inverse_dynamics(figure.forest(), &s.q, &s.v, a, external, &mut rnea::Work::default(), &mut tau);
    tau
}

/// Accelerations by ABA.
pub fn forward_dynamics(figure: &Figure, s: &State, tau: &[f64], external: Option<&[Force]>) -> Vec<f64> {
    let (mut work, mut a) = (aba::Work::default(), vec![0.0; figure.forest().nv()]);
    aba::forward_dynamics(figure.forest(), &s.q, &s.v, tau, external, None, &mut work, &mut a);
    a
}

/// Mass matrix by CRBA, as rows.
pub fn dense_mass_matrix(figure: &Figure, q: &[f64]) -> Vec<Vec<f64>> {
    let mut m = crba::PathMatrix::default();
    crba::mass_matrix(figure.forest(), q, &mut crba::Work::default(), &mut m);
    m.to_dense(figure.forest())
}

/// Poses, velocities and, given joint accelerations, accelerations.
pub fn kinematics_of(figure: &Figure, s: &State, a: Option<&[f64]>) -> Kinematics {
    let mut k = Kinematics::default();
    k.update(figure.forest(), &s.q, Some(&s.v), a);
    k
}

/// A random force on every body.
pub fn random_body_forces(figure: &Figure, seed: u64) -> Vec<Force> {
    let mut rng = Rng::new(seed ^ 0x77);
    figure.forest().bodies().iter().map(|_| Force::new(rng.vec3(5.0), rng.vec3(20.0))).collect()
}

/// Scalar product.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A hanging chain of hinges with alternating axes.
pub fn chain(links: usize) -> Figure {
    let mut b = FigureBuilder::new(format!("chain-{links}"));
    let mut last = None;
    for i in 0..links {
        let axis = if i % 2 == 0 { vec3(0.0, 1.0, 0.0) } else { vec3(1.0, 0.0, 0.0) };
        let mut joint = JointSpec::new(format!("j{i}"), JointKind::Revolute { axis });
        if let Some(parent) = last {
            joint = joint.on(parent, Transform::translation(vec3(0.0, 0.0, -0.2)));
        }
        let rod =
            Inertia::about_center(1.0, vec3(0.0, 0.0, -0.1), Sym3::diagonal(vec3(0.0035, 0.0035, 0.0004)));
        last = Some(b.add(LinkSpec::new(format!("l{i}"), rod), joint).expect("sound"));
    }
    b.build().expect("sound")
}

/// The same figure with another frame on every link.
pub fn with_other_link_frames(figure: &Figure, seed: u64) -> Figure {
    let mut rng = Rng::new(seed ^ 0x77);
    let mut b = FigureBuilder::new("other frames");
    let mut moved: Vec<(LinkHandle, LinkHandle, Transform)> = Vec::new();
    for (handle, link) in figure.links() {
        let joint = figure.joint(link.joint()).expect("its joint");
        let new_from_old = rng.transform();
        let parent = link.parent().map(|p| moved.iter().find(|m| m.0 == p).expect("parents come first"));
        let mut spec = JointSpec::new(joint.name.clone(), joint.kind);
        spec.parent = parent.map(|p| p.1);
        spec.parent_from_joint = parent.map_or(Transform::identity(), |p| p.2) * joint.parent_from_joint;
        spec.child_from_joint = new_from_old * joint.child_from_joint;
        (spec.order, spec.dof) = (joint.order, joint.dof);
        let inertia = new_from_old * link.spec.inertia;
        let new = b.add(LinkSpec::new(link.spec.name.clone(), inertia), spec).expect("sound");
        moved.push((handle, new, new_from_old));
    }
    b.build().expect("sound")
}

/// Sets the velocity of the `i`-th of several free bodies, world axes.
pub fn throw(sim: &mut Simulation, i: usize, linear: Vec3, angular: Vec3) {
    sim.edit(|_, s| {
        let turn = Quat([s.q[7 * i + 3], s.q[7 * i + 4], s.q[7 * i + 5], s.q[7 * i + 6]]).inverse();
        let v: Vec<f64> =
            turn.rotate(angular).to_array().into_iter().chain(turn.rotate(linear).to_array()).collect();
        s.v[6 * i..6 * i + 6].copy_from_slice(&v);
        Ok(())
    })
    .unwrap();
}

/// Position of the `i`-th of several free bodies.
pub fn place(sim: &Simulation, i: usize) -> Vec3 {
    let q = &sim.state().q;
    vec3(q[7 * i], q[7 * i + 1], q[7 * i + 2])
}

/// Velocity of the `i`-th of several free bodies, world axes.
pub fn velocity(sim: &Simulation, i: usize) -> Vec3 {
    let (q, v) = (&sim.state().q, &sim.state().v);
    let turn = Quat([q[7 * i + 3], q[7 * i + 4], q[7 * i + 5], q[7 * i + 6]]);
    turn.rotate(vec3(v[6 * i + 3], v[6 * i + 4], v[6 * i + 5]))
}
