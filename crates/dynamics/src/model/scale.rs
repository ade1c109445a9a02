//! Scaled copies of a figure: size and mass, masses by link, or with a load.
//!
//! Lengths scale by the ratio of heights, masses by the ratio of masses, and forces, stiffnesses and dampings so that
//! the motion is dynamically similar under the same gravity (time scales with the square root of length).

use super::{Figure, Link, LinkHandle, PlacedShape};
use crate::error::Error;
use crate::joint::{Dof, JointKind, LimitLaw};
use crate::spatial::{Inertia, Transform, Vec3, vec3};

impl Figure {
    /// A copy with the given height (m) and mass (kg); `None` keeps the value.
    pub fn scaled(&self, height: Option<f64>, mass: Option<f64>) -> Result<Figure, Error> {
        let ratio = |what: &str, wanted: Option<f64>, present: Option<f64>| match wanted {
            None => Ok(1.0),
            Some(w) if !(w > 0.0 && w.is_finite()) => {
                Err(Error::OutOfRange { what: what.into(), value: w, expected: "more than zero" })
            }
            Some(w) => match present {
                Some(p) if p > 0.0 => Ok(w / p),
                _ => Err(Error::UnknownStature { figure: self.name.clone() }),
            },
        };
        let stature = self.stature.or_else(|| self.measured_stature());
        let length = ratio("height", height, stature)?;
        let mass = ratio("mass", mass, Some(self.mass()))?;
        let mut scaled = self.clone();
        scaled.stature = stature.map(|s| s * length);
        scaled.rescale(length, mass);
        Ok(scaled)
    }

    fn rescale(&mut self, length: f64, mass: f64) {
        let stretch = |t: &Transform| Transform { translation: t.translation.scale(length), ..*t };
        let links: Vec<_> = self.links.iter().map(|(id, _)| id).collect();
        for id in links {
            let spec = &mut self.links.get_mut(id).expect("listed above").spec;
            spec.inertia = spec.inertia.scaled(length, mass);
            for s in &mut spec.shapes {
                s.shape = s.shape.scaled(length);
                s.link_from_shape = stretch(&s.link_from_shape);
            }
        }
        let joints: Vec<_> = self.joints.iter().map(|(id, _)| id).collect();
        for id in joints {
            let joint = self.joints.get_mut(id).expect("listed above");
            joint.parent_from_joint = stretch(&joint.parent_from_joint);
            joint.child_from_joint = stretch(&joint.child_from_joint);
            let slides = matches!(joint.kind, JointKind::Prismatic { .. });
            let lengths = match joint.kind {
                JointKind::Prismatic { .. } => 1,
                JointKind::Free => 3,
                _ => 0,
            };
            joint.home[..lengths].iter_mut().for_each(|x| *x *= length);
            joint.locked_at[..lengths].iter_mut().for_each(|x| *x *= length);
            joint.dof.iter_mut().for_each(|d| scale_dof(d, length, mass, slides));
        }
        self.revision += 1;
        self.compile();
    }

    /// Vertical extent of the shapes in the home pose.
    fn measured_stature(&self) -> Option<f64> {
        let up = vec3(0.0, 0.0, 1.0);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (handle, link) in self.links() {
            let place = self.home_pose(handle);
            for s in &link.spec.shapes {
                let (l, h) = s.shape.extent(&(place * s.link_from_shape), up);
                (low, high) = (low.min(l), high.max(h));
            }
        }
        (high > low && (high - low).is_finite()).then_some(high - low)
    }

    /// A copy with link masses scaled by factors, centres unchanged; handles and coordinates stay the same.
    ///
    /// # Errors
    /// A factor that is not positive.
    pub fn with_masses(&self, factor: impl Fn(&Link) -> f64) -> Result<Figure, Error> {
        let mut other = self.clone();
        let links: Vec<_> = other.links.iter().map(|(id, _)| id).collect();
        for id in links {
            let link = other.links.get_mut(id).expect("listed above");
            let value = factor(link);
            if !(value > 0.0 && value.is_finite()) {
                let what = format!("factor of the mass of `{}`", link.spec.name);
                return Err(Error::OutOfRange { what, value, expected: "more than zero" });
            }
            link.spec.inertia = link.spec.inertia.scaled(1.0, value);
        }
        other.compile();
        Ok(other)
    }

    /// A copy in which a link carries an additional solid with its inertia, both in the link's frame.
    ///
    /// # Errors
    /// A link of another figure, an invalid shape or inertia.
    pub fn laden(
        &self,
        link: LinkHandle,
        load: Inertia,
        shape: Option<PlacedShape>,
    ) -> Result<Figure, Error> {
        let name = &self.link(link)?.spec.name;
        if !(load.is_finite() && load.mass >= 0.0) {
            let what = format!("mass of the load on link `{name}`");
            return Err(Error::OutOfRange { what, value: load.mass, expected: "a number from zero on" });
        }
        shape.as_ref().map_or(Ok(()), |s| s.shape.check())?;
        let mut laden = self.clone();
        let spec = &mut laden.links.get_mut(link.0).ok_or(Error::StaleHandle { what: "link" })?.spec;
        spec.inertia = spec.inertia + load;
        spec.shapes.extend(shape);
        laden.revision += 1;
        laden.compile();
        laden.check_inertia()?;
        Ok(laden)
    }

    /// A copy whose joints have no armature, damping, springs or friction.
    pub fn rigid(&self) -> Figure {
        let mut rigid = self.clone();
        let joints: Vec<_> = rigid.joints.iter().map(|(id, _)| id).collect();
        for id in joints {
            let joint = rigid.joints.get_mut(id).expect("listed above");
            joint.dof.iter_mut().for_each(|d| *d = d.rigid());
        }
        rigid.compile();
        rigid
    }

    /// Height of the lowest point of the figure's shapes in the home pose, if it has any.
    pub fn lowest_point(&self) -> Option<f64> {
        let down = Vec3 { x: 0.0, y: 0.0, z: -1.0 };
        let all = self.links().flat_map(|(h, l)| l.spec.shapes.iter().map(move |s| (h, s)));
        all.map(|(h, s)| -s.shape.extent(&(self.home_pose(h) * s.link_from_shape), down).1).reduce(f64::min)
    }
}

fn scale_dof(d: &mut Dof, length: f64, mass: f64, slides: bool) {
    // time ~ sqrt(length); force ~ mass; torque ~ mass length
    let (x, force) = if slides { (length, mass) } else { (1.0, mass * length) };
    let time = length.sqrt();
    d.stiffness *= force / x;
    d.damping *= force * time / x;
    d.friction *= force;
    d.effort *= force;
    d.armature *= force * time * time / x;
    d.rest *= x;
    if let Some(r) = &mut d.range {
        (r.lower, r.upper) = (r.lower * x, r.upper * x);
    }
    if let Some(l) = &mut d.limit {
        l.blend *= x;
        l.law = match l.law {
            LimitLaw::Power { k, n } => LimitLaw::Power { k: k * force / libm::pow(x, n), n },
            LimitLaw::Exponential { k, c } => LimitLaw::Exponential { k: k * force, c: c / x },
        };
    }
}
