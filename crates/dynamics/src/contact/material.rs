//! Materials: friction and restitution, by material and by pair of materials.
//!
//! Pairs without an entry use the geometric means of both materials.

use crate::error::Error;

/// Friction and restitution of a pair of surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// coefficient of static friction
    pub static_friction: f64,
    /// coefficient of dynamic friction; at most the static one
    pub dynamic_friction: f64,
    /// coefficient of normal restitution, 0 to 1
    pub restitution: f64,
    /// coefficient of tangential restitution, as far as friction allows, -1 (keeps sliding) to 1; 0 sticks
    pub tangential_restitution: f64,
}

impl Default for Surface {
    fn default() -> Surface {
        Surface { static_friction: 0.8, dynamic_friction: 0.8, restitution: 0.0, tangential_restitution: 0.0 }
    }
}

impl Surface {
    /// Whether impacts have restitution in any direction; each has its own [NY2000J eq. 15].
    pub fn has_restitution(&self) -> bool {
        self.restitution > 0.0 || self.tangential_restitution != 0.0
    }

    /// Checks the ranges; `who` is named in errors.
    pub fn check(&self, who: &str) -> Result<(), Error> {
        let within = |what: &str, value: f64, low: f64, high: f64, expected| {
            if value.is_finite() && (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(Error::OutOfRange { what: format!("{what} of {who}"), value, expected })
            }
        };
        within("static friction", self.static_friction, 0.0, 1e3, "0 to 1000")?;
        within(
            "dynamic friction",
            self.dynamic_friction,
            0.0,
            self.static_friction,
            "0 to the static friction",
        )?;
        within("restitution", self.restitution, 0.0, 1.0, "0 to 1")?;
        within("tangential restitution", self.tangential_restitution, -1.0, 1.0, "-1 to 1")
    }
}

/// A material.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// name
    pub name: String,
    /// friction and restitution against itself
    pub surface: Surface,
}

/// Index of a material in [`Materials`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MaterialIx(u32);

/// All materials of a world. The first is the default.
#[derive(Clone, Debug, PartialEq)]
pub struct Materials {
    list: Vec<Material>,
    /// pairs with their own surface, smaller index first
    pairs: Vec<(MaterialIx, MaterialIx, Surface)>,
}

impl Default for Materials {
    fn default() -> Materials {
        let first = Material { name: "default".into(), surface: Surface::default() };
        Materials { list: vec![first], pairs: Vec::new() }
    }
}

impl Materials {
    /// Adds a material; one named `default` replaces the first.
    ///
    /// # Errors
    /// A duplicate name, numbers out of range.
    pub fn add(&mut self, material: Material) -> Result<MaterialIx, Error> {
        material.surface.check(&format!("material `{}`", material.name))?;
        if material.name == self.list[0].name {
            self.list[0] = material;
            return Ok(MaterialIx(0));
        }
        if self.find(&material.name).is_some() {
            return Err(Error::DuplicateName { what: "material", name: material.name });
        }
        self.list.push(material);
        Ok(MaterialIx(self.list.len() as u32 - 1))
    }

    /// The material of a name.
    pub fn find(&self, name: &str) -> Option<MaterialIx> {
        self.list.iter().position(|m| m.name == name).map(|i| MaterialIx(i as u32))
    }

    /// All materials.
    pub fn list(&self) -> &[Material] {
        &self.list
    }

    /// Sets the surface of a pair of materials.
    ///
    /// # Errors
    /// Numbers out of range.
    pub fn set_pair(&mut self, a: MaterialIx, b: MaterialIx, surface: Surface) -> Result<(), Error> {
        let name = |m: MaterialIx| &self.list[m.0 as usize].name;
        surface.check(&format!("materials `{}` and `{}`", name(a), name(b)))?;
        let (a, b) = (a.min(b), a.max(b));
        self.pairs.retain(|p| (p.0, p.1) != (a, b));
        self.pairs.push((a, b, surface));
        Ok(())
    }

    /// Whether any restitution is not zero.
    pub fn can_bounce(&self) -> bool {
        let surfaces = self.list.iter().map(|m| &m.surface).chain(self.pairs.iter().map(|p| &p.2));
        surfaces.into_iter().any(Surface::has_restitution)
    }

    /// Surface of a pair of materials.
    pub fn between(&self, a: MaterialIx, b: MaterialIx) -> Surface {
        let (a, b) = (a.min(b), a.max(b));
        if let Some(p) = self.pairs.iter().find(|p| (p.0, p.1) == (a, b)) {
            return p.2;
        }
        let of = |m: MaterialIx| self.list[m.0 as usize].surface;
        let mean = |number: fn(&Surface) -> f64| {
            let (x, y) = (number(&of(a)), number(&of(b)));
            if x == y { x } else { (x.max(0.0) * y.max(0.0)).sqrt() }
        };
        Surface {
            static_friction: mean(|s| s.static_friction),
            dynamic_friction: mean(|s| s.dynamic_friction),
            restitution: mean(|s| s.restitution),
            tangential_restitution: mean(|s| s.tangential_restitution),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_before_means() {
        let mut m = Materials::default();
        let of = |static_friction, dynamic_friction, restitution| Surface {
            static_friction,
            dynamic_friction,
            restitution,
            ..Surface::default()
        };
        let ice = m.add(Material { name: "ice".into(), surface: of(0.04, 0.02, 0.3) }).unwrap();
        let wood = m.add(Material { name: "wood".into(), surface: of(0.5, 0.4, 0.3) }).unwrap();
        assert!((m.between(ice, wood).static_friction - 0.02_f64.sqrt()).abs() < 1e-15);
        assert_eq!(m.between(ice, wood).restitution, 0.3);
        m.set_pair(wood, ice, of(0.1, 0.1, 0.0)).unwrap();
        assert_eq!(m.between(ice, wood), of(0.1, 0.1, 0.0));
        assert_eq!(m.between(ice, ice), of(0.04, 0.02, 0.3));
    }

    #[test]
    fn impossible_numbers_are_refused() {
        let mut m = Materials::default();
        let bad = |change: fn(&mut Surface)| {
            let mut surface = Surface::default();
            change(&mut surface);
            Material { name: "bad".into(), surface }
        };
        for material in [
            bad(|s| s.static_friction = -0.1),
            bad(|s| s.dynamic_friction = 0.9),
            bad(|s| s.restitution = 1.1),
            bad(|s| s.restitution = f64::NAN),
            bad(|s| s.tangential_restitution = 2.0),
        ] {
            assert!(m.add(material).is_err());
        }
        assert!(m.add(Material { name: "good".into(), surface: Surface::default() }).is_ok());
        assert!(m.add(Material { name: "good".into(), surface: Surface::default() }).is_err());
    }
}
