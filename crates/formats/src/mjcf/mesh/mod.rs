//! Mesh assets: the mass of bodies defined by meshes.
//!
//! Files are read on demand, and once. Surfaces do not become shapes of links.
//! Checked by: `tests/it/mjcf.rs`.

mod file;
mod surface;

use super::defaults::{Complete, Defaults, Kind, MAIN};
use super::settings::{Settings, unit_quat};
use crate::error::Error;
use crate::names::clipped;
use crate::xml::{Element, Value};
use anthropi_dynamics::spatial::{Inertia, Transform, Vec3};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use surface::{Rule, Surface};

/// Most bytes read from all mesh files of a model.
const MAX_BYTES: u64 = 256 << 20;
/// Words for the mass distribution.
const RULES: [(&str, Rule); 4] =
    [("legacy", Rule::Legacy), ("exact", Rule::Exact), ("convex", Rule::Convex), ("shell", Rule::Shell)];

/// The mesh assets of a model.
pub(super) struct Meshes<'a> {
    assets: HashMap<String, Complete<'a>>,
    /// folder of the files, if known
    folder: Option<PathBuf>,
    strips_path: bool,
    is_exact: bool,
    /// inertia at unit density, or why it is unknown
    known: HashMap<String, Result<Inertia, String>>,
    bytes: u64,
}

impl<'a> Meshes<'a> {
    pub fn new(
        model: &'a Element,
        base: Option<&Path>,
        defaults: &'a Defaults<'a>,
        settings: &Settings,
    ) -> Result<Meshes<'a>, Error> {
        let mut assets = HashMap::new();
        for element in model.named("asset").flat_map(|section| section.named("mesh")) {
            let class = Some(defaults.class(element, "class", MAIN)?);
            let asset = Complete { element, defaults, class, kind: Kind::Mesh };
            assets.insert(name_of(element), asset);
        }
        Ok(Meshes {
            assets,
            folder: base.map(|b| b.join(&settings.mesh_dir)),
            strips_path: settings.strips_path,
            is_exact: settings.exact_meshes,
            known: HashMap::new(),
            bytes: 0,
        })
    }

    /// Mass properties of a mesh at unit density, in its own frame; or the reason why they are unknown.
    ///
    /// # Errors
    /// An asset with invalid attributes.
    pub fn inertia(&mut self, mesh: &str) -> Result<Result<Inertia, String>, Error> {
        if let Some(known) = self.known.get(mesh) {
            return Ok(known.clone());
        }
        let found = match self.assets.get(mesh) {
            Some(&asset) => self.compute(&asset)?,
            None => Err("no such asset".into()),
        };
        self.known.insert(mesh.into(), found.clone());
        Ok(found)
    }

    fn compute(&mut self, asset: &Complete) -> Result<Result<Inertia, String>, Error> {
        let rule = match asset.get("inertia") {
            None if self.is_exact => Rule::Exact,
            None => Rule::Legacy,
            Some(v) => v.word(&RULES)?,
        };
        let mut surface = match self.surface(asset)? {
            Ok(surface) => surface,
            Err(why) => return Ok(Err(why)),
        };
        place(&mut surface, asset)?;
        Ok(surface.inertia(rule))
    }

    /// The surface, from the file or from the asset itself.
    fn surface(&mut self, asset: &Complete) -> Result<Result<Surface, String>, Error> {
        let Some(file) = asset.get("file") else {
            let Some(points) = asset.get("vertex") else {
                return Ok(Err("it has neither file nor vertex".into()));
            };
            return inline(points, asset.get("face")).map(Ok);
        };
        let path = file.text().replace('\\', "/");
        let path = if self.strips_path { path.rsplit('/').next().unwrap_or(&path) } else { &path };
        let Some(folder) = &self.folder else {
            return Ok(Err("the model was not read from a folder".into()));
        };
        let bytes = match self.read_bytes(&folder.join(path)) {
            Ok(bytes) => bytes,
            Err(why) => return Ok(Err(format!("{}: {why}", clipped(path)))),
        };
        Ok(file::read(path, &bytes).map_err(|why| format!("{}: {why}", clipped(path))))
    }

    fn read_bytes(&mut self, path: &Path) -> Result<Vec<u8>, String> {
        let failed = |e: std::io::Error| match e.kind() {
            std::io::ErrorKind::NotFound => "not found".to_string(),
            _ => e.to_string(),
        };
        let bytes = crate::file::bytes_up_to(path, MAX_BYTES.saturating_sub(self.bytes)).map_err(failed)?;
        self.bytes += bytes.as_ref().map_or(MAX_BYTES, |b| b.len() as u64);
        bytes.ok_or_else(|| format!("more than {MAX_BYTES} bytes of meshes"))
    }
}

/// Its name, or its file name without folder and ending.
fn name_of(element: &Element) -> String {
    let file = element.text("file").unwrap_or_default();
    let stem = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    element.text("name").filter(|n| !n.is_empty()).unwrap_or(stem).to_string()
}

/// A mesh inside the model file.
fn inline(points: Value, faces: Option<Value>) -> Result<Surface, Error> {
    let numbers = points.list(usize::MAX)?;
    let surface = Surface {
        // MuJoCo keeps them in single precision
        points: numbers.chunks_exact(3).map(|p| Vec3::from_array(&[p[0], p[1], p[2]].map(single))).collect(),
        faces: Vec::new(),
    };
    let Some(faces) = faces else { return Ok(surface) };
    let index = |x: f64| {
        let is_one = x >= 0.0 && x.fract() == 0.0 && x < surface.points.len() as f64;
        is_one.then_some(x as usize).ok_or_else(|| faces.wrong("indices of vertices"))
    };
    let indices = faces.list(usize::MAX)?.into_iter().map(index).collect::<Result<Vec<_>, _>>()?;
    let faces = indices.chunks_exact(3).map(|f| [f[0], f[1], f[2]]).collect();
    Ok(Surface { faces, ..surface })
}

/// A number rounded to single precision.
fn single(x: f64) -> f64 {
    f64::from(x as f32)
}

/// Translates, rotates and scales, in this order.
fn place(surface: &mut Surface, asset: &Complete) -> Result<(), Error> {
    let position = asset.vector("refpos", Vec3::ZERO)?;
    let turn = match asset.get("refquat") {
        None => Transform::identity(),
        Some(v) => {
            unit_quat(v.numbers()?).ok_or_else(|| v.wrong("a non-zero quaternion"))?.inverse().to_transform()
        }
    };
    let scale = asset.vector("scale", Vec3 { x: 1.0, y: 1.0, z: 1.0 })?;
    for p in &mut surface.points {
        let turned = turn.point(*p - position);
        *p = Vec3 { x: turned.x * scale.x, y: turned.y * scale.y, z: turned.z * scale.z };
    }
    if scale.x * scale.y * scale.z < 0.0 {
        surface.faces.iter_mut().for_each(|f| f.swap(1, 2));
    }
    Ok(())
}
