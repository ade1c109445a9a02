//! Mesh files: STL (binary), OBJ, and MSH, MuJoCo's legacy format.
//!
//! As in MuJoCo: coordinates in single precision; of an OBJ file the first object with faces.

use super::surface::Surface;
use crate::names::clipped;
use anthropi_dynamics::spatial::{Vec3, vec3};

/// Most faces of one mesh.
const MAX_FACES: usize = 2_000_000;

/// Reads a mesh file, in the format of its ending.
pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Surface, String> {
    let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let surface = match ending.as_str() {
        "stl" => stl(bytes)?,
        "obj" => obj(&String::from_utf8_lossy(bytes))?,
        "msh" => msh(bytes)?,
        _ => return Err("expected an .stl, .obj or .msh file".into()),
    };
    match surface.points.iter().all(|p| p.is_finite()) {
        true => Ok(surface),
        false => Err("a coordinate is not finite".into()),
    }
}

/// Little-endian words of four bytes.
struct Words<'a>(std::slice::ChunksExact<'a, u8>);

impl Words<'_> {
    fn integer(&mut self) -> Option<usize> {
        let word = self.0.next()?;
        usize::try_from(i32::from_le_bytes(word.try_into().ok()?)).ok()
    }

    fn number(&mut self) -> Option<f64> {
        let word = self.0.next()?;
        Some(f32::from_le_bytes(word.try_into().ok()?).into())
    }

    fn point(&mut self) -> Option<Vec3> {
        Some(vec3(self.number()?, self.number()?, self.number()?))
    }
}

fn stl(bytes: &[u8]) -> Result<Surface, String> {
    /// Title and number of faces.
    const HEADER: usize = 84;
    /// Normal, three corners, two unused bytes.
    const FACE: usize = 50;
    let wrong = "not a binary STL file";
    let count = bytes.get(HEADER - 4..).and_then(|b| Words(b.chunks_exact(4)).integer()).ok_or(wrong)?;
    let faces = bytes[HEADER..].chunks_exact(FACE);
    if faces.len() != count || count == 0 || !faces.remainder().is_empty() {
        return Err(wrong.into());
    }
    let mut surface = Surface::default();
    for face in faces.take(MAX_FACES) {
        let mut words = Words(face.chunks_exact(4));
        words.point();
        let first = surface.points.len();
        surface.points.extend(std::iter::from_fn(|| words.point()).take(3));
        surface.faces.push([first, first + 1, first + 2]);
    }
    Ok(surface)
}

fn msh(bytes: &[u8]) -> Result<Surface, String> {
    let mut words = Words(bytes.chunks_exact(4));
    let mut count = || words.integer().filter(|n| *n <= 3 * MAX_FACES);
    let (Some(points), Some(normals), Some(textures), Some(faces)) = (count(), count(), count(), count())
    else {
        return Err("not an MSH file".into());
    };
    let size = 4 * (4 + 3 * points + 3 * normals + 2 * textures + 3 * faces);
    if bytes.len() != size {
        return Err(format!("has {} bytes, expected {size} from its header", bytes.len()));
    }
    let all_points: Vec<Vec3> = std::iter::from_fn(|| words.point()).take(points).collect();
    let mut rest = Words(bytes[4 * (4 + 3 * points + 3 * normals + 2 * textures)..].chunks_exact(4));
    let mut index =
        || rest.integer().filter(|i| *i < points).ok_or("a face refers to a point that does not exist");
    let mut all_faces = Vec::with_capacity(faces);
    for _ in 0..faces {
        all_faces.push([index()?, index()?, index()?]);
    }
    Ok(Surface { points: all_points, faces: all_faces })
}

fn obj(text: &str) -> Result<Surface, String> {
    let mut surface = Surface::default();
    let mut is_first = true;
    for (i, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        let done = match words.next() {
            Some("v") => obj_point(words).map(|p| surface.points.push(p)),
            Some("f") if is_first => obj_face(words, &mut surface),
            Some("o" | "g") => {
                is_first = surface.faces.is_empty();
                Some(())
            }
            _ => Some(()),
        };
        if done.is_none() || surface.faces.len() > MAX_FACES {
            return Err(format!("line {}: \"{}\" cannot be read", i + 1, clipped(line)));
        }
    }
    let count = surface.points.len();
    match surface.faces.iter().flatten().all(|i| *i < count) {
        true => Ok(surface),
        false => Err("a face refers to a point that does not exist".into()),
    }
}

fn obj_point<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Vec3> {
    let mut number = || words.next()?.parse::<f32>().ok().map(f64::from);
    Some(vec3(number()?, number()?, number()?))
}

/// A polygon as triangles; a quadrilateral is split along its shorter diagonal.
fn obj_face<'a>(words: impl Iterator<Item = &'a str>, surface: &mut Surface) -> Option<()> {
    let count = surface.points.len();
    // `point/texture/normal`, counted from one, or backwards from the last point
    let index = |word: &str| match word.split('/').next()?.parse::<i64>().ok()? {
        0 => None,
        i if i > 0 => usize::try_from(i - 1).ok(),
        i => count.checked_sub(usize::try_from(-i).ok()?),
    };
    let corners = words.map(index).collect::<Option<Vec<usize>>>()?;
    let length = |a: usize, b: usize| Some((*surface.points.get(a)? - *surface.points.get(b)?).norm());
    match corners[..] {
        [a, b, c, d] if length(b, d)? <= length(a, c)? => surface.faces.extend([[a, b, d], [b, c, d]]),
        [first, ref rest @ ..] => surface.faces.extend(rest.windows(2).map(|w| [first, w[0], w[1]])),
        [] => {}
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn obj_files_have_polygons_and_negative_indices() {
        let text =
            "# a\no x\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1.5 0\nf 1/1/1 2//2 3 4\nf -1 -2 -3\no y\nf 1 2 4\n";
        let got = read("a.OBJ", text.as_bytes()).unwrap();
        assert_eq!(got.faces, [[0, 1, 2], [0, 2, 3], [3, 2, 1]]);
        assert!(read("a.obj", b"v 0 0\n").unwrap_err().contains("line 1"));
        assert!(read("a.obj", b"v 0 0 0\nf 1 2 3\n").unwrap_err().contains("does not exist"));
        assert!(read("a.obj", b"v 0 0 0\nf 1 1 -2\n").is_err());
        assert!(read("a.obj", b"v 0 0 nan\n").unwrap_err().contains("not finite"));
    }

    #[test]
    fn invalid_binary_files_are_rejected() {
        let mut file = vec![0; 84 + 50];
        file[80] = 1;
        assert_eq!(read("a.stl", &file).unwrap().faces.len(), 1);
        for bad in [&file[..83], &file[..100], &[file.clone(), vec![0]].concat()] {
            assert!(read("a.stl", bad).is_err());
        }
        assert!(read("a.stl", b"solid a\nendsolid\n").unwrap_err().contains("not a binary STL"));
        let header = [3_i32, 0, 0, 1].map(i32::to_le_bytes).concat();
        let body = [0_i32; 9].map(i32::to_le_bytes).concat();
        let face = |last: i32| [0, 1, last].map(i32::to_le_bytes).concat();
        let whole = |last| [header.clone(), body.clone(), face(last)].concat();
        assert_eq!(read("a.msh", &whole(2)).unwrap().faces, [[0, 1, 2]]);
        assert!(read("a.msh", &whole(3)).is_err() && read("a.msh", &whole(-1)).is_err());
        assert!(read("a.msh", &header).unwrap_err().contains("from its header"));
        assert!(read("a.dae", &header).unwrap_err().contains("expected an .stl"));
    }
}
