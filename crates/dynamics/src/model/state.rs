//! Position and velocity of a figure, for one revision of its structure.

use super::{Figure, JointHandle};
use crate::error::Error;

/// q and v of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// coordinates, in the order of [`Figure::joints`]
    pub q: Vec<f64>,
    /// velocities, in the order of [`Figure::dof_names`]
    pub v: Vec<f64>,
    pub(super) revision: u64,
    /// q and v before the last edit; kept so that edits do not allocate
    pub(super) before: (Vec<f64>, Vec<f64>),
}

impl State {
    /// At rest in the home pose.
    pub fn home(figure: &Figure) -> State {
        let forest = figure.forest();
        State {
            q: forest.home().to_vec(),
            v: vec![0.0; forest.nv()],
            revision: figure.revision(),
            before: (Vec::with_capacity(forest.nq()), Vec::with_capacity(forest.nv())),
        }
    }

    /// A saved state with its revision; [`Figure::check`] tests whether it fits.
    pub fn restored(q: Vec<f64>, v: Vec<f64>, revision: u64) -> State {
        let before = (Vec::with_capacity(q.len()), Vec::with_capacity(v.len()));
        State { q, v, revision, before }
    }

    /// Revision of the structure this state belongs to.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Coordinates of one joint.
    pub fn q_of(&self, figure: &Figure, joint: JointHandle) -> Result<&[f64], Error> {
        figure.check(self)?;
        figure.joint(joint)?;
        let p = figure.forest().joint_place(joint);
        Ok(&self.q[p.iq..p.iq + p.nq])
    }

    /// Velocities of one joint.
    pub fn v_of(&self, figure: &Figure, joint: JointHandle) -> Result<&[f64], Error> {
        figure.check(self)?;
        figure.joint(joint)?;
        let p = figure.forest().joint_place(joint);
        Ok(&self.v[p.iv..p.iv + p.nv])
    }

    /// Sets the coordinates of one joint. Quaternions are normalised.
    pub fn set_q(&mut self, figure: &Figure, joint: JointHandle, q: &[f64]) -> Result<(), Error> {
        figure.check(self)?;
        let name = &figure.joint(joint)?.name;
        let p = figure.forest().joint_place(joint);
        check(&format!("q of joint `{name}`"), p.nq, q)?;
        self.q[p.iq..p.iq + p.nq].copy_from_slice(q);
        let quaternion = p.nq.checked_sub(4).filter(|_| p.nq > p.nv);
        if let Some(at) = quaternion {
            let part = &mut self.q[p.iq + at..p.iq + p.nq];
            let n = part.iter().map(|c| c * c).sum::<f64>().sqrt();
            if n == 0.0 {
                let what = format!("length of the quaternion of joint `{name}`");
                return Err(Error::OutOfRange { what, value: n, expected: "more than zero" });
            }
            part.iter_mut().for_each(|c| *c /= n);
        }
        Ok(())
    }

    /// Sets the velocities of one joint.
    pub fn set_v(&mut self, figure: &Figure, joint: JointHandle, v: &[f64]) -> Result<(), Error> {
        figure.check(self)?;
        let p = figure.forest().joint_place(joint);
        check(&format!("v of joint `{}`", figure.joint(joint)?.name), p.nv, v)?;
        self.v[p.iv..p.iv + p.nv].copy_from_slice(v);
        Ok(())
    }
}

fn check(what: &str, expected: usize, got: &[f64]) -> Result<(), Error> {
    if got.len() != expected {
        return Err(Error::Dimension { what: what.into(), expected, got: got.len() });
    }
    if got.iter().any(|x| !x.is_finite()) {
        return Err(Error::NotFinite { what: what.into() });
    }
    Ok(())
}
