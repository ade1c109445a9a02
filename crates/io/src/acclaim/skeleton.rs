//! ASF: units, root, bones, hierarchy. Lengths stay as in the file.

use super::MAX_BONES;
use super::lines::Lines;
use crate::Error;
use crate::bvh::text::shown;
use anthropi_dynamics::spatial::{Axis, Quat, Vec3, vec3};
use std::collections::BTreeMap;

/// One value of a bone in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Dof {
    /// a place along an axis
    Translation(usize),
    /// a turn about an axis
    Rotation(usize),
    /// the length
    Length,
}

/// A bone as the file says it.
pub(super) struct AcclaimBone {
    pub(super) name: String,
    /// none for the root
    pub(super) parent: Option<usize>,
    /// from its near to its far end at rest, world axes
    pub(super) vector: Vec3,
    /// axes of its dofs at rest
    pub(super) axes: Quat,
    /// values of a frame, in the order they are written and turned about
    pub(super) dofs: Vec<Dof>,
}

/// A skeleton as the file says it.
pub(super) struct Acclaim {
    /// root first, parents before children
    pub(super) bones: Vec<AcclaimBone>,
    pub(super) by_name: BTreeMap<String, usize>,
    /// `length` of the units
    pub(super) length: f64,
    /// angles are in degrees
    pub(super) is_degrees: bool,
    /// pre-set place of the root
    pub(super) position: Vec3,
    pub(super) notes: Vec<String>,
}

const ROOT: &str = "root";

/// Sections of the file on the way through it.
struct Reader<'a> {
    lines: Lines<'a>,
    length: f64,
    is_degrees: bool,
    bones: Vec<AcclaimBone>,
    by_name: BTreeMap<String, usize>,
    position: Vec3,
    has_hierarchy: bool,
    notes: Vec<String>,
}

pub(super) fn read(text: &str, file: &str) -> Result<Acclaim, Error> {
    let root = AcclaimBone {
        name: ROOT.into(),
        parent: None,
        vector: Vec3::ZERO,
        axes: Quat::IDENTITY,
        dofs: Vec::new(),
    };
    let mut reader = Reader {
        lines: Lines::new(text, file)?,
        length: 1.0,
        is_degrees: true,
        bones: vec![root],
        by_name: BTreeMap::from([(ROOT.into(), 0)]),
        position: Vec3::ZERO,
        has_hierarchy: false,
        notes: Vec::new(),
    };
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
                _ if is_first => {
                    let what =
                        format!("`{}`; an ASF file begins with a keyword such as :version", shown(&word));
                    return Err(self.lines.wrong(0, "ASF", &what));
                }
                _ => {
                    return Err(self.lines.wrong(
                        0,
                        "ASF",
                        &format!("`{}`; a keyword was expected", shown(&word)),
                    ));
                }
            }
            is_first = false;
        }
        if !self.has_hierarchy {
            return Err(self.lines.ends(":hierarchy was expected"));
        }
        Ok(())
    }

    /// To the next line of this section; false at its end.
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
                    self.length = self.lines.number(1, "length")?;
                    if !(self.length > 0.0) {
                        return Err(self.lines.wrong(1, "length", "a number above zero was expected"));
                    }
                }
                "angle" if self.lines.is(1, "deg") || self.lines.is(1, "degrees") => self.is_degrees = true,
                "angle" if self.lines.is(1, "rad") || self.lines.is(1, "radians") => self.is_degrees = false,
                "angle" => return Err(self.lines.wrong(1, "angle", "deg or rad was expected")),
                _ => {}
            }
        }
        Ok(())
    }

    fn root(&mut self) -> Result<(), Error> {
        let (mut order, mut orientation) = (vec![0, 1, 2], [0.0; 3]);
        while self.next() {
            match self.lines.word(0).to_ascii_lowercase().as_str() {
                "order" => self.bones[0].dofs = self.dofs(ROOT)?,
                "axis" => order = self.order(1, ROOT)?,
                "position" => self.position = Vec3::from_array(&self.lines.three(1, "position of root")?),
                "orientation" => orientation = self.lines.three(1, "orientation of root")?,
                "name" => {}
                word => {
                    let what =
                        format!("`{}`; order, axis, position or orientation was expected", shown(word));
                    return Err(self.lines.wrong(0, "root", &what));
                }
            }
        }
        self.bones[0].axes = fixed_axes(&order, orientation, self.is_degrees);
        if orientation != [0.0; 3] || self.position != Vec3::ZERO {
            let what = "the root has a pre-set place or orientation; programs differ in what they make of it. Here \
                        the place is added, and the orientation is turned by the motion about world axes";
            self.notes.push(what.into());
        }
        Ok(())
    }

    fn bonedata(&mut self) -> Result<(), Error> {
        while self.next() {
            if !self.lines.is(0, "begin") {
                let what = format!("`{}`; begin was expected", shown(self.lines.word(0)));
                return Err(self.lines.wrong(0, "bonedata", &what));
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
                return Err(self.lines.ends("end of a bone was expected"));
            }
            let whose = shown(name.as_deref().unwrap_or("a bone"));
            match self.lines.word(0).to_ascii_lowercase().as_str() {
                "name" if self.lines.len() > 1 => name = Some(self.lines.word(1).into()),
                "name" => return Err(self.lines.wrong(1, "bone", "a name was expected")),
                "direction" => direction = Some(self.lines.three(1, &format!("direction of {whose}"))?),
                "length" => length = Some(self.lines.number(1, &format!("length of {whose}"))?),
                "axis" => {
                    axis = self.lines.three(1, &format!("axis of {whose}"))?;
                    order = self.order(4, &whose)?;
                }
                "dof" => dofs = self.dofs(&whose)?,
                "end" => break,
                _ => {} // id, limits, bodymass, cofmass
            }
        }
        let Some(name) = name else { return Err(self.lines.wrong(0, "bone", "a bone without a name")) };
        let (Some(direction), Some(length)) = (direction, length) else {
            return Err(self.lines.wrong(0, &shown(&name), "has no direction or no length"));
        };
        let Some(direction) =
            Vec3::from_array(&direction).normalized().or((length == 0.0).then_some(Vec3::ZERO))
        else {
            return Err(self.lines.wrong(0, &shown(&name), "its direction has no length"));
        };
        if self.bones.len() == MAX_BONES {
            return Err(self.lines.wrong(0, &shown(&name), &format!("more than {MAX_BONES} bones")));
        }
        if self.by_name.insert(name.clone(), self.bones.len()).is_some() {
            return Err(self.lines.wrong(0, &shown(&name), "a second bone of this name"));
        }
        let axes = fixed_axes(&order, axis, self.is_degrees);
        self.bones.push(AcclaimBone { name, parent: None, vector: direction.scale(length), axes, dofs });
        Ok(())
    }

    /// `XYZ` and alike; all three if nothing is said.
    fn order(&self, n: usize, whose: &str) -> Result<Vec<usize>, Error> {
        let word = self.lines.word(n);
        if word.is_empty() {
            return Ok(vec![0, 1, 2]);
        }
        let order: Option<Vec<usize>> = word.bytes().map(axis_of).collect();
        order.filter(|o| o.len() == 3 && (0..3).all(|a| o.contains(&a))).ok_or_else(|| {
            let what = format!("`{}`; an order such as XYZ was expected", shown(word));
            self.lines.wrong(n, &format!("axis of {whose}"), &what)
        })
    }

    /// `dof rx rz`, `order TX TY TZ RX RY RZ`.
    fn dofs(&self, whose: &str) -> Result<Vec<Dof>, Error> {
        let mut dofs = Vec::new();
        for n in 1..self.lines.len() {
            let word = self.lines.word(n).to_ascii_lowercase();
            let dof = match word.as_bytes() {
                [b'r', a] => axis_of(*a).map(Dof::Rotation),
                [b't', a] => axis_of(*a).map(Dof::Translation),
                [b'l'] => Some(Dof::Length),
                _ => None,
            };
            let field = || format!("dof of {whose}");
            let Some(dof) = dof else {
                let what = format!("`{}`; rx, ry, rz, tx, ty, tz or l was expected", shown(&word));
                return Err(self.lines.wrong(n, &field(), &what));
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
                if child == 0 || self.bones[child].parent.is_some() {
                    let what = if child == 0 { "the root hangs on nothing" } else { "hangs on two bones" };
                    return Err(self.lines.wrong(n, &shown(self.lines.word(n)), what));
                }
                self.bones[child].parent = Some(parent);
            }
        }
        Ok(())
    }

    fn known(&self, n: usize) -> Result<usize, Error> {
        let word = self.lines.word(n);
        let found = find(&self.by_name, word);
        found.ok_or_else(|| {
            self.lines.wrong(n, "hierarchy", &format!("`{}` is not in :bonedata", shown(word)))
        })
    }

    /// Depth first from the root, in the order of the bones in the file; refuses bones that do not hang on it.
    fn ordered(mut self) -> Result<Acclaim, Error> {
        let mut children = vec![Vec::new(); self.bones.len()];
        for (i, bone) in self.bones.iter().enumerate().rev() {
            bone.parent.into_iter().for_each(|p| children[p].push(i));
        }
        let (mut order, mut left) = (Vec::new(), vec![0]);
        while let Some(i) = left.pop() {
            order.push(i);
            left.extend(&children[i]);
        }
        let mut place = vec![None; self.bones.len()];
        order.iter().enumerate().for_each(|(n, i)| place[*i] = Some(n));
        if let Some(lost) = place.iter().position(Option::is_none) {
            let name = shown(&self.bones[lost].name);
            return Err(self.lines.ends(&format!("bone {name} does not hang on the root in :hierarchy")));
        }
        let mut bones: Vec<(usize, AcclaimBone)> = Vec::with_capacity(order.len());
        for (i, mut bone) in self.bones.drain(..).enumerate() {
            bone.parent = bone.parent.and_then(|p| place[p]);
            bones.push((place[i].unwrap_or(i), bone));
        }
        bones.sort_by_key(|b| b.0);
        let bones: Vec<AcclaimBone> = bones.into_iter().map(|b| b.1).collect();
        let mut by_name: BTreeMap<String, usize> =
            bones.iter().enumerate().map(|(i, b)| (b.name.clone(), i)).collect();
        for (i, bone) in bones.iter().enumerate() {
            by_name.entry(bone.name.to_ascii_lowercase()).or_insert(i);
        }
        let Reader { length, is_degrees, position, notes, .. } = self;
        Ok(Acclaim { bones, by_name, length, is_degrees, position, notes })
    }
}

/// The bone of a name; if none is written so, of the name in lower case.
pub(super) fn find(by_name: &BTreeMap<String, usize>, name: &str) -> Option<usize> {
    by_name.get(name).or_else(|| by_name.get(&name.to_ascii_lowercase())).copied()
}

fn axis_of(letter: u8) -> Option<usize> {
    b"xyz".iter().position(|a| *a == letter.to_ascii_lowercase())
}

/// Turns about fixed axes in this order; `angles` are those about x, y and z.
fn fixed_axes(order: &[usize], angles: [f64; 3], is_degrees: bool) -> Quat {
    order.iter().fold(Quat::IDENTITY, |q, a| turn(*a, angles[*a], is_degrees).then(q))
}

/// A turn about an axis.
pub(super) fn turn(axis: usize, angle: f64, is_degrees: bool) -> Quat {
    let angle = if is_degrees { (angle % 720.0).to_radians() } else { angle % (4.0 * core::f64::consts::PI) };
    Quat::about([Axis::X, Axis::Y, Axis::Z][axis].unit(), angle)
}

/// A place along an axis.
pub(super) fn along(axis: usize, x: f64) -> Vec3 {
    let unit = [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)][axis];
    unit.scale(x)
}
