//! The figure of a scene in its start pose.

use super::Scene;
use anthropi_dynamics::Error;
use anthropi_dynamics::model::{Figure, FigureBuilder, JointSpec, LinkHandle};

impl Scene {
    /// All figures and connections as one figure whose home pose is the start pose, without velocities, controls and
    /// events.
    pub fn figure_at_start(&self) -> Result<Figure, Error> {
        let old = &self.figure;
        let mut builder = FigureBuilder::new(old.name.clone()).lenient();
        builder.gravity(old.gravity())?;
        if let Some(stature) = old.stature {
            builder.stature(stature)?;
        }
        let mut added: Vec<(LinkHandle, LinkHandle)> = Vec::new();
        let moved = |added: &[(LinkHandle, LinkHandle)], link: Option<LinkHandle>| {
            let new = |link| added.iter().find(|(old, _)| *old == link).map(|(_, new)| *new);
            link.map(|l| new(l).ok_or(Error::StaleHandle { what: "link" })).transpose()
        };
        for (handle, link) in old.links() {
            let joint = old.joint(link.joint())?;
            let mut spec = JointSpec::like(joint, moved(&added, link.parent())?);
            let (q, v) = (self.state.q_of(old, link.joint())?, self.state.v_of(old, link.joint())?);
            spec.home = Some(joint.coordinates().expand(q, v).q);
            added.push((handle, builder.add(link.spec.clone(), spec)?));
        }
        for (_, link, joint) in old.connections() {
            let real = moved(&added, link.real())?.ok_or(Error::StaleHandle { what: "link" })?;
            builder.connect(real, JointSpec::like(joint, moved(&added, link.parent())?))?;
        }
        builder.build()
    }
}
