//! Units and up axes of marker files; conversion to z up.

use anthropi_dynamics::spatial::{Vec3, vec3};

/// A unit of length in metres, by its common names.
pub(crate) fn metres(unit: &str) -> Option<f64> {
    match unit.trim().to_ascii_lowercase().as_str() {
        "um" | "µm" | "micrometer" | "micrometers" => Some(1e-6),
        "mm" | "millimeter" | "millimeters" | "millimetre" | "millimetres" => Some(1e-3),
        "cm" | "centimeter" | "centimeters" | "centimetre" | "centimetres" => Some(1e-2),
        "dm" | "decimeter" | "decimeters" => Some(1e-1),
        "m" | "meter" | "meters" | "metre" | "metres" => Some(1.0),
        "in" | "inch" | "inches" => Some(0.0254),
        "ft" | "foot" | "feet" => Some(0.3048),
        _ => None,
    }
}

/// A unit of moment in N m: a name of the newton times a length.
pub(crate) fn newton_metres(unit: &str) -> Option<f64> {
    let unit = unit.trim().to_ascii_lowercase();
    let (force, rest) = if let Some(rest) = unit.strip_prefix("kn") {
        (1000.0, rest)
    } else {
        let names = ["newtons", "newton", "nt", "n"];
        (1.0, names.iter().find_map(|name| unit.strip_prefix(name))?)
    };
    let length = rest.trim_matches([' ', '.', '*', '-', '_', '/', '·']);
    Some(force * metres(length)?)
}

/// A unit of force in newtons.
pub(crate) fn newtons(unit: &str) -> Option<f64> {
    match unit.trim().to_ascii_lowercase().as_str() {
        "n" | "nt" | "newton" | "newtons" => Some(1.0),
        "kn" => Some(1000.0),
        "lb" | "lbf" => Some(4.448_221_615_260_5),
        _ => None,
    }
}

/// The up axis of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Upwards {
    /// 0, 1 or 2
    pub axis: usize,
    pub is_negative: bool,
}

impl Upwards {
    pub const Y: Upwards = Upwards { axis: 1, is_negative: false };
    pub const Z: Upwards = Upwards { axis: 2, is_negative: false };

    /// From an optional sign and a letter, e.g. `+Z`.
    pub fn from_name(name: &str) -> Option<Upwards> {
        let name = name.trim();
        let letter = name.trim_start_matches(['+', '-']).to_ascii_uppercase();
        let axis = ["X", "Y", "Z"].iter().position(|l| *l == letter)?;
        Some(Upwards { axis, is_negative: name.starts_with('-') })
    }

    /// The coordinate axis nearest to a direction.
    pub fn nearest(direction: Vec3) -> Upwards {
        let d = direction.to_array();
        let axis = (0..3).max_by(|a, b| d[*a].abs().total_cmp(&d[*b].abs())).unwrap_or(2);
        Upwards { axis, is_negative: d[axis] < 0.0 }
    }

    pub fn name(self) -> &'static str {
        let names = [["x", "y", "z"], ["-x", "-y", "-z"]];
        names[usize::from(self.is_negative)][self.axis]
    }

    /// Applies the shortest rotation from this direction to z.
    pub fn to_z_up(self, p: Vec3) -> Vec3 {
        let Vec3 { x, y, z } = p;
        match (self.axis, self.is_negative) {
            (0, false) => vec3(-z, y, x),
            (0, true) => vec3(z, y, -x),
            (1, false) => vec3(x, -z, y),
            (1, true) => vec3(x, z, -y),
            (_, false) => p,
            (_, true) => vec3(x, -y, -z),
        }
    }
}

/// The axis of the largest mean extent of the points: up, for an upright person.
pub(crate) fn along_the_body(points: &[Option<Vec3>], in_a_frame: usize) -> Option<Upwards> {
    let mut spread = Vec3::ZERO;
    for frame in points.chunks(in_a_frame.max(1)) {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in frame.iter().flatten() {
            for (k, c) in p.to_array().into_iter().enumerate() {
                (low[k], high[k]) = (low[k].min(c), high[k].max(c));
            }
        }
        if low[0] <= high[0] {
            spread += vec3(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
        }
    }
    (spread.norm() > 0.0 && spread.is_finite()).then(|| Upwards::nearest(spread))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_up_axis_is_rotated_to_z() {
        for name in ["+X", "-X", "Y", "-Y", "+Z", "-Z"] {
            let up = Upwards::from_name(name).unwrap();
            let mut d = [0.0; 3];
            d[up.axis] = if up.is_negative { -1.0 } else { 1.0 };
            assert_eq!(up.to_z_up(Vec3::from_array(&d)), vec3(0.0, 0.0, 1.0), "{name}");
            let [x, y, z] =
                [vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)].map(|e| up.to_z_up(e));
            assert_eq!(x.cross(y).dot(z), 1.0, "{name}");
        }
        assert_eq!(Upwards::from_name("Q"), None);
    }

    #[test]
    fn units_of_moment_have_many_names() {
        for (name, value) in
            [("Nmm", 1e-3), ("ntmm", 1e-3), ("N.m", 1.0), ("N*m", 1.0), ("kNm", 1e3), ("N-cm", 1e-2)]
        {
            let read = newton_metres(name).unwrap();
            assert!((read - value).abs() < 1e-15 * value.abs().max(1.0), "{name}: {read}");
        }
        assert_eq!(newton_metres("V"), None);
    }
}
