//! A figure from arrays, one entry per link.

use crate::arrays::{Any, NO_TURN, Numbers, rotation};
use crate::error::{Answer, Problem};
use crate::figure::Figure;
use crate::structure::joint_kind;
use anthropi_dynamics::model::{FigureBuilder, JointSpec, LinkHandle, LinkSpec};
use anthropi_dynamics::spatial::{Inertia, Sym3, Transform, Vec3, vec3};
use pyo3::prelude::*;

#[pymethods]
impl Figure {
    /// A figure from arrays with one entry per link, parents before children.
    ///
    /// ``parents`` has the index of each link's parent, -1 for the world; ``kinds`` the kind of each joint: free,
    /// fixed, revolute, prismatic, universal, spherical; ``axes`` (n, 3) their axes, or (n, 2, 3) with universal joints;
    /// ``positions`` (n, 3) and ``rotations`` (n, 3, 3) place each joint, the link's origin, on the parent;
    /// ``masses`` (n,), ``centers`` (n, 3) of mass in link axes, ``inertias`` (n, 3, 3) about the centres, link axes.
    /// Joints are named after their links.
    #[staticmethod]
    #[pyo3(signature = (name, links, parents, kinds, *, axes, positions, masses, centers, inertias, rotations=None))]
    #[allow(clippy::too_many_arguments)] // one per property of a link
    fn from_arrays(
        name: &str,
        links: Vec<String>,
        parents: Vec<i64>,
        kinds: Vec<String>,
        axes: &Any,
        positions: &Any,
        masses: &Any,
        centers: &Any,
        inertias: &Any,
        rotations: Option<&Any>,
    ) -> Answer<Figure> {
        let n = links.len();
        for (what, len) in [("parents", parents.len()), ("kinds", kinds.len())] {
            if len != n {
                let what = what.to_string();
                return Err(anthropi_dynamics::Error::Dimension { what, expected: n, got: len }.into());
            }
        }
        let table = |what: &str, given: &Any, shape: &[usize]| -> Answer<Vec<f64>> {
            let numbers = Numbers::new(what, given)?;
            numbers.check_shape(what, shape)?;
            Ok(numbers.values().to_vec())
        };
        let (axes, positions) = (directions(axes, n)?, table("positions", positions, &[n, 3])?);
        let (masses, centers) = (table("masses", masses, &[n])?, table("centers", centers, &[n, 3])?);
        let inertias = table("inertias", inertias, &[n, 3, 3])?;
        let rotations = rotations.map(|r| table("rotations", r, &[n, 3, 3])).transpose()?;

        let mut builder = FigureBuilder::new(name);
        let mut handles: Vec<LinkHandle> = Vec::new();
        for (i, link) in links.iter().enumerate() {
            let kind = joint_kind(&kinds[i], &axes[2 * i..2 * i + 2])?;
            let mut joint = JointSpec::new(link.clone(), kind);
            joint.parent = parent(link, parents[i], &handles)?;
            let turn = rotations
                .as_ref()
                .map_or(Ok(NO_TURN), |r| rotation(&format!("rotation of `{link}`"), nine(r, i)))?;
            joint.parent_from_joint = Transform::new(triple(&positions, i), turn);
            let inertia =
                Inertia::about_center(masses[i], triple(&centers, i), symmetric(nine(&inertias, i)));
            handles.push(builder.add(LinkSpec::new(link.clone(), inertia), joint)?);
        }
        Ok(Figure::from_model(builder.build()?))
    }
}

/// Two axes per joint; a single axis counts twice.
fn directions(given: &Any, n: usize) -> Answer<Vec<Vec3>> {
    let numbers = Numbers::new("axes", given)?;
    let is_double = numbers.shape().len() == 3;
    let shape = if is_double { vec![n, 2, 3] } else { vec![n, 3] };
    numbers.check_shape("axes", &shape)?;
    let all = numbers.values().chunks(3).map(|v| vec3(v[0], v[1], v[2]));
    Ok(if is_double { all.collect() } else { all.flat_map(|v| [v, v]).collect() })
}

fn triple(table: &[f64], i: usize) -> Vec3 {
    vec3(table[3 * i], table[3 * i + 1], table[3 * i + 2])
}

fn nine(table: &[f64], i: usize) -> &[f64] {
    &table[9 * i..9 * (i + 1)]
}

fn parent(link: &str, number: i64, before: &[LinkHandle]) -> Answer<Option<LinkHandle>> {
    if number == -1 {
        return Ok(None);
    }
    let found = usize::try_from(number).ok().and_then(|n| before.get(n)).copied();
    let what = format!("parent of link `{link}`");
    found.ok_or_else(|| Problem::out_of_range(what, number as f64, "an earlier link, or -1")).map(Some)
}

/// The symmetric part.
fn symmetric(m: &[f64]) -> Sym3 {
    Sym3 {
        xx: m[0],
        yy: m[4],
        zz: m[8],
        xy: 0.5 * (m[1] + m[3]),
        xz: 0.5 * (m[2] + m[6]),
        yz: 0.5 * (m[5] + m[7]),
    }
}
