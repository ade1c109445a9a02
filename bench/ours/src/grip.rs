//! A figure that grips one arm with the other and lets go.

use anthropi_dynamics::joint::JointKind;
use anthropi_dynamics::model::{Figure, JointSpec, LinkHandle, State};

/// A figure, its state, and the two links that are connected and cut.
pub struct Grip {
    figure: Figure,
    state: State,
    hand: LinkHandle,
    other: LinkHandle,
}

impl Grip {
    /// Grips one lower arm with the other.
    pub fn new(figure: Figure) -> Result<Grip, String> {
        let state = State::home(&figure);
        let link = |name: &str| figure.find_link(name).map_err(|e| e.to_string());
        let (hand, other) = (link("LLowerArm")?, link("RLowerArm")?);
        Ok(Grip { figure, state, hand, other })
    }

    /// Connects the links and cuts the connection, ready to step after each.
    pub fn connect_and_cut(&mut self) {
        let joint = JointSpec { parent: Some(self.other), ..JointSpec::new("grip", JointKind::Spherical) };
        let grip = self.figure.connect(self.hand, joint, &mut self.state).expect("they can be connected");
        self.figure.cut(grip, &mut self.state).expect("the connection can be cut");
    }
}
