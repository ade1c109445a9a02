//! ASF: units, root, bones, hierarchy. Lengths stay in units of the file.

use super::MAX_BONES;
use super::lines::Lines;
use crate::Error;
use crate::bvh::angles::about;
use crate::bvh::text::axis_of;
use crate::names::clipped;
use anthropi_dynamics::spatial::{Axis, Quat, Vec3};
use anthropi_motion::note::Note;
use std::collections::BTreeMap;

/// One value of a bone in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Dof {
    /// translation along an axis
    Translation(usize),
    /// rotation about an axis
    Rotation(usize),
    /// change of length
    Length,
}

/// A bone in units and axes of the file.
pub(super) struct AcclaimBone {
    pub(super) name: String,
    /// `None` for the root
    pub(super) parent: Option<usize>,
    /// from its proximal to its distal end at rest, world axes
    pub(super) vector: Vec3,
    /// axes of its dofs at rest
    pub(super) axes: Quat,
    /// values of a frame, in file order, which is the rotation order
    pub(super) dofs: Vec<Dof>,
}

/// A skeleton in units and axes of the file.
pub(super) struct Acclaim {
    /// root first, parents before children
    pub(super) bones: Vec<AcclaimBone>,
    pub(super) by_name: BTreeMap<String, usize>,
    /// `length` of the units
    pub(super) length: f64,
    /// angles are in degrees
    pub(super) is_degrees: bool,
    /// preset position of the root
    pub(super) position: Vec3,
    pub(super) notes: Vec<Note>,
}

impl Acclaim {
    /// Zero for each dof of each bone.
    pub(super) fn zeros(&self) -> Vec<Vec<f64>> {
        self.bones.iter().map(|b| vec![0.0; b.dofs.len()]).collect()
    }
}

const ROOT: &str = "root";

/// State of the reader.
struct Reader<'a> {
    lines: Lines<'a>,
    /// the skeleton so far
    made: Acclaim,
    has_hierarchy: bool,
}

pub(super) fn read(text: &str, file: &str) -> Result<Acclaim, Error> {
    let root = AcclaimBone {
        name: ROOT.into(),
        parent: None,
        vector: Vec3::ZERO,
        axes: Quat::IDENTITY,
        dofs: Vec::new(),
    };
    let made = Acclaim {
        bones: vec![root],
        by_name: BTreeMap::from([(ROOT.into(), 0)]),
        length: 1.0,
        is_degrees: true,
        position: Vec3::ZERO,
        notes: Vec::new(),
    };
    let mut reader = Reader { lines: Lines::new(text, file)?, made, has_hierarchy: false };
    reader.sections()?;
    reader.ordered()
}

impl Reader<'_> {
    fn sections(&mut self) -> Result<(), Error> {
        let mut is_first = true;
        while self.lines.next() {
            let word = self.lines.word(0).to_ascii_lowercase();
            match word.as_str() {
                ":units" => self.units()?,
                ":root" => self.root()?,
                ":bonedata" => self.bonedata()?,
                ":hierarchy" => self.hierarchy()?,
                _ if word.starts_with(':') => self.skip(),
                _ => {
                    let expected = if is_first { "a keyword such as :version" } else { "a keyword" };
                    return Err(self.lines.unexpected(0, "ASF", &word, expected));
                }
            }
            is_first = false;
        }
        if !self.has_hierarchy {
            return Err(self.lines.ends(":hierarchy"));
        }
        Ok(())
    }

    /// Advances to the next line of this section; false at its end.
    fn next(&mut self) -> bool {
        if !self.lines.next() {
            return false;
        }
        let more = !self.lines.word(0).starts_with(':');
        if !more {
            self.lines.keep();
        }
        more
    }

    fn skip(&mut self) {
        while self.next() {}
    }

    fn units(&mut self) -> Result<(), Error> {
        while self.next() {
            match self.lines.word(0).to_ascii_lowercase().as_str() {
                "length" => {
                    self.made.length = self.lines.number(1, "length")?;
                    if !(self.made.length > 0.0) {
                        return Err(self.lines.wrong(1, "length", "expected a number above zero"));
                    }
                }
                "angle" if self.lines.is(1, "deg") || self.lines.is(1, "degrees") => {
                    self.made.is_degrees = true
                }
                "angle" if self.lines.is(1, "rad") || self.lines.is(1, "radians") => {
                    self.made.is_degrees = false
                }
                "angle" => return Err(self.lines.wrong(1, "angle", "expected deg or rad")),
                _ => {}
            }
        }
        Ok(())
    }

    fn root(&mut self) -> Result<(), Error> {
        let (mut order, mut orientation) = (vec![0, 1, 2], [0.0; 3]);
        while self.next() {
            match self.lines.word(0).to_ascii_lowercase().as_str() {
                "order" => self.made.bones[0].dofs = self.dofs(ROOT)?,
                "axis" => order = self.order(1, ROOT)?,
                "position" => {
                    self.made.position = Vec3::from_array(&self.lines.three(1, "position of root")?)
                }
                "orientation" => orientation = self.lines.three(1, "orientation of root")?,
                "name" => {}
                word => {
                    let expected = "order, axis, position or orientation";
                    return Err(self.lines.unexpected(0, "root", word, expected));
                }
            }
        }
        self.made.bones[0].axes = fixed_axes(&order, orientation, self.made.is_degrees);
        if orientation != [0.0; 3] || self.made.position != Vec3::ZERO {
            let what = "the root has a preset position or orientation, which programs interpret differently; here \
                        the position is added, and the motion rotates the orientation about world axes";
            self.made.notes.push(what.into());
        }
        Ok(())
    }

    fn bonedata(&mut self) -> Result<(), Error> {
        while self.next() {
            if !self.lines.is(0, "begin") {
                return Err(self.lines.unexpected(0, "bonedata", self.lines.word(0), "begin"));
            }
            self.bone()?;
        }
        Ok(())
    }

    /// From after `begin` to `end`.
    fn bone(&mut self) -> Result<(), Error> {
        let mut name: Option<String> = None;
        let (mut direction, mut length, mut dofs) = (None, None, Vec::new());
        let (mut order, mut axis) = (vec![0, 1, 2], [0.0; 3]);
        loop {
            if !self.next() {
                return Err(self.lines.ends("the end of a bone"));
            }
            let owner = clipped(name.as_deref().unwrap_or("a bone"));
            match self.lines.word(0).to_ascii_lowercase().as_str() {
                "name" if self.lines.len() > 1 => name = Some(self.lines.word(1).into()),
                "name" => return Err(self.lines.wrong(1, "bone", "expected a name")),
                "direction" => direction = Some(self.lines.three(1, &format!("direction of {owner}"))?),
                "length" => length = Some(self.lines.number(1, &format!("length of {owner}"))?),
                "axis" => {
                    axis = self.lines.three(1, &format!("axis of {owner}"))?;
                    order = self.order(4, &owner)?;
                }
                "dof" => dofs = self.dofs(&owner)?,
                "end" => break,
                _ => {} // id, limits, bodymass, cofmass
            }
        }
        let Some(name) = name else { return Err(self.lines.wrong(0, "bone", "the bone has no name")) };
        let (Some(direction), Some(length)) = (direction, length) else {
            return Err(self.lines.wrong(0, &clipped(&name), "has no direction or no length"));
        };
        let Some(direction) =
            Vec3::from_array(&direction).normalized().or((length == 0.0).then_some(Vec3::ZERO))
        else {
            return Err(self.lines.wrong(0, &clipped(&name), "its direction is zero"));
        };
        if self.made.bones.len() == MAX_BONES {
            return Err(self.lines.wrong(0, &clipped(&name), &format!("more than {MAX_BONES} bones")));
        }
        if self.made.by_name.insert(name.clone(), self.made.bones.len()).is_some() {
            return Err(self.lines.wrong(0, &clipped(&name), "duplicate bone name"));
        }
        let axes = fixed_axes(&order, axis, self.made.is_degrees);
        self.made.bones.push(AcclaimBone { name, parent: None, vector: direction.scale(length), axes, dofs });
        Ok(())
    }

    /// A rotation order such as `XYZ`, the default.
    fn order(&self, n: usize, owner: &str) -> Result<Vec<usize>, Error> {
        let word = self.lines.word(n);
        if word.is_empty() {
            return Ok(vec![0, 1, 2]);
        }
        let order: Option<Vec<usize>> = word.bytes().map(axis_of).collect();
        order.filter(|o| o.len() == 3 && (0..3).all(|a| o.contains(&a))).ok_or_else(|| {
            self.lines.unexpected(n, &format!("axis of {owner}"), word, "an order such as XYZ")
        })
    }

    /// `dof rx rz`, `order TX TY TZ RX RY RZ`.
    fn dofs(&self, owner: &str) -> Result<Vec<Dof>, Error> {
        let mut dofs = Vec::new();
        for n in 1..self.lines.len() {
            let word = self.lines.word(n).to_ascii_lowercase();
            let dof = match word.as_bytes() {
                [b'r', a] => axis_of(*a).map(Dof::Rotation),
                [b't', a] => axis_of(*a).map(Dof::Translation),
                [b'l'] => Some(Dof::Length),
                _ => None,
            };
            let field = || format!("dof of {owner}");
            let Some(dof) = dof else {
                return Err(self.lines.unexpected(n, &field(), &word, "rx, ry, rz, tx, ty, tz or l"));
            };
            if dofs.contains(&dof) {
                return Err(self.lines.wrong(n, &field(), &format!("`{word}` twice")));
            }
            dofs.push(dof);
        }
        Ok(dofs)
    }

    fn hierarchy(&mut self) -> Result<(), Error> {
        self.has_hierarchy = true;
        while self.next() {
            if (self.lines.is(0, "begin") || self.lines.is(0, "end")) && self.lines.len() == 1 {
                continue;
            }
            let parent = self.known(0)?;
            for n in 1..self.lines.len() {
                let child = self.known(n)?;
                if child == 0 || self.made.bones[child].parent.is_some() {
                    let what = if child == 0 { "the root cannot have a parent" } else { "has two parents" };
                    return Err(self.lines.wrong(n, &clipped(self.lines.word(n)), what));
                }
                self.made.bones[child].parent = Some(parent);
            }
        }
        Ok(())
    }

    fn known(&self, n: usize) -> Result<usize, Error> {
        let word = self.lines.word(n);
        let found = find(&self.made.by_name, word);
        found.ok_or_else(|| {
            self.lines.wrong(n, "hierarchy", &format!("`{}` is not in :bonedata", clipped(word)))
        })
    }

    /// Sorts the bones depth first from the root, siblings in file order; rejects unconnected bones.
    fn ordered(self) -> Result<Acclaim, Error> {
        let mut made = self.made;
        let mut children = vec![Vec::new(); made.bones.len()];
        for (i, bone) in made.bones.iter().enumerate().rev() {
            bone.parent.into_iter().for_each(|p| children[p].push(i));
        }
        let (mut order, mut left) = (Vec::new(), vec![0]);
        while let Some(i) = left.pop() {
            order.push(i);
            left.extend(&children[i]);
        }
        let mut place = vec![None; made.bones.len()];
        order.iter().enumerate().for_each(|(n, i)| place[*i] = Some(n));
        if let Some(lost) = place.iter().position(Option::is_none) {
            let name = clipped(&made.bones[lost].name);
            return Err(self.lines.ends(&format!("bone {name} in :hierarchy")));
        }
        let mut bones: Vec<Option<AcclaimBone>> = made.bones.drain(..).map(Some).collect();
        made.bones = order.iter().filter_map(|i| bones[*i].take()).collect();
        made.bones.iter_mut().for_each(|b| b.parent = b.parent.and_then(|p| place[p]));
        made.by_name = made.bones.iter().enumerate().map(|(i, b)| (b.name.clone(), i)).collect();
        for (i, bone) in made.bones.iter().enumerate() {
            made.by_name.entry(bone.name.to_ascii_lowercase()).or_insert(i);
        }
        Ok(made)
    }
}

/// The bone of a name, else of the name in lower case.
pub(super) fn find(by_name: &BTreeMap<String, usize>, name: &str) -> Option<usize> {
    by_name.get(name).or_else(|| by_name.get(&name.to_ascii_lowercase())).copied()
}

/// Rotations about fixed axes in this order; `angles` about x, y and z.
fn fixed_axes(order: &[usize], angles: [f64; 3], is_degrees: bool) -> Quat {
    order.iter().fold(Quat::IDENTITY, |q, a| turn(*a, angles[*a], is_degrees).then(q))
}

/// Rotation about an axis.
pub(super) fn turn(axis: usize, angle: f64, is_degrees: bool) -> Quat {
    let angle = if is_degrees { (angle % 720.0).to_radians() } else { angle % (4.0 * core::f64::consts::PI) };
    about(axis, angle)
}

/// Vector along an axis.
pub(super) fn along(axis: usize, x: f64) -> Vec3 {
    [Axis::X, Axis::Y, Axis::Z][axis].unit().scale(x)
}
