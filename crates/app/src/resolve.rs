//! Decides, for all front ends, what a name refers to: a built-in item, or a file. The extension of the file
//! and, for TOML, its top-level keys give the kind of item.

use crate::filter_scene::{self, FilterScene};
use crate::scene::{self, Scene};
use crate::walk::{self, NamedStyle, WalkFile};
use crate::{builtin, keyed, loaded_motion, svg};
use anthropi_dynamics::model::Figure;
use anthropi_formats::fields::{Field, Source, nearest};
use anthropi_formats::motion::{self, MOTIONS_IN, Motion, Options};
use anthropi_formats::{Error, Loaded, Warning, figure as figure_file, file, load};
use std::path::{Path, PathBuf};

/// Kind of item that a name or file refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// an articulated figure
    Figure,
    /// figures with connections, contact, controls and events, to be simulated
    Scene,
    /// a motion with edits and pushes, to be filtered
    FilterScene,
    /// a motion, recorded or keyframed
    Motion,
    /// a walk in segments
    Walk,
    /// a walking style
    Style,
}

impl ItemKind {
    /// All kinds.
    pub const ALL: [ItemKind; 6] = [
        ItemKind::Figure,
        ItemKind::Scene,
        ItemKind::FilterScene,
        ItemKind::Motion,
        ItemKind::Walk,
        ItemKind::Style,
    ];

    /// Noun for messages.
    pub fn noun(self) -> &'static str {
        self.built_in().trim_start_matches("built-in ")
    }

    fn built_in(self) -> &'static str {
        match self {
            ItemKind::Figure => "built-in figure",
            ItemKind::Scene => "built-in scene",
            ItemKind::FilterScene => "built-in filter scene",
            ItemKind::Motion => "built-in motion",
            ItemKind::Walk => "built-in walk",
            ItemKind::Style => "built-in style",
        }
    }
}

/// Kind of item that a name refers to: a built-in item or a file; `None` for neither. Style files are not recognised.
///
/// # Errors
/// A TOML file that cannot be read or parsed.
pub fn kind(name: &str) -> Result<Option<ItemKind>, Error> {
    let path = Path::new(name);
    match builtin::kind(name) {
        None if is_toml(path) => toml_kind(&file::text(path)?, name).map(Some),
        None if motion::is_motion(path) => Ok(Some(ItemKind::Motion)),
        None => Ok(load::is_figure(path).then_some(ItemKind::Figure)),
        built_in => Ok(built_in),
    }
}

/// Kind of item in a TOML text, by its top-level keys; `file` is its name for messages.
///
/// # Errors
/// Text that is too long or not TOML.
pub fn toml_kind(text: &str, file: &str) -> Result<ItemKind, Error> {
    let tree = Source { file, text }.parse(figure_file::MAX_BYTES)?;
    let has = |key: &str| tree.get_ref().contains_key(key);
    Ok(match () {
        () if has("key") => ItemKind::Motion,
        () if has("motion") => ItemKind::FilterScene,
        () if walk::segment::KEYS.into_iter().any(has) => ItemKind::Walk,
        () if has("figure") || has("ground") => ItemKind::Scene,
        () => ItemKind::Figure,
    })
}

/// Whether a name is a file path: it exists, or it has an extension or a folder.
pub fn is_path(name: &str) -> bool {
    let path = Path::new(name);
    path.exists() || path.extension().is_some() || path.components().count() > 1
}

fn is_toml(path: &Path) -> bool {
    file::has_extension(path, &["toml"])
}

/// The built-in item of that name and kind, or the one in a file.
fn item<T>(
    kind: ItemKind,
    name: &str,
    read: impl Fn(&str, &str, Option<&Path>) -> Result<T, Error>,
) -> Result<T, Error> {
    match builtin::kind(name) {
        Some(is) if is != kind => Err(wrong_kind(name, is, kind)),
        Some(_) => {
            builtin::find(kind, name).map_or_else(|| Err(unknown(name, kind)), |b| read(b.text, name, None))
        }
        None if is_path(name) => read(&file::text(Path::new(name))?, name, Path::new(name).parent()),
        None => Err(unknown(name, kind)),
    }
}

fn wrong_kind(name: &str, is: ItemKind, wanted: ItemKind) -> Error {
    Error::WrongKind { name: name.into(), is: is.noun(), wanted: wanted.noun() }
}

fn unknown(name: &str, kind: ItemKind) -> Error {
    let all = builtin::names(kind).map(String::from).collect();
    Error::Unknown { what: kind.built_in(), name: name.into(), all }
}

/// The built-in figure of that name, or the one in a file of any figure format.
///
/// # Errors
/// An unknown name, the name of another kind of item; as [`load::figure()`].
pub fn figure(name: &str) -> Result<Loaded, Error> {
    match builtin::kind(name) {
        None if is_path(name) => load::figure(Path::new(name)),
        None => {
            let all =
                builtin::names(ItemKind::Figure).chain(builtin::names(ItemKind::Scene)).map(String::from);
            let what = "file, built-in figure or scene";
            Err(Error::Unknown { what, name: name.into(), all: all.collect() })
        }
        Some(_) => item(ItemKind::Figure, name, |text, file, _| figure_file::read(text, file)),
    }
}

/// The built-in scene of that name, or the one in a file.
///
/// # Errors
/// An unknown name, the name of another kind of item; as [`scene::read`].
pub fn scene(name: &str) -> Result<Scene, Error> {
    item(ItemKind::Scene, name, scene::read)
}

/// The built-in filter scene of that name, or the one in a file.
///
/// # Errors
/// An unknown name, the name of another kind of item; as [`filter_scene::read`].
pub fn filter_scene(name: &str) -> Result<FilterScene, Error> {
    item(ItemKind::FilterScene, name, filter_scene::read)
}

/// The built-in walk of that name, or the one in a file.
///
/// # Errors
/// An unknown name, the name of another kind of item; as [`walk::read`].
pub fn walk(name: &str) -> Result<WalkFile, Error> {
    item(ItemKind::Walk, name, walk::read)
}

/// The built-in style of that name, or the one in a file.
///
/// # Errors
/// An unknown name, the name of another kind of item; as [`walk::read_style`].
pub fn style(name: &str) -> Result<NamedStyle, Error> {
    item(ItemKind::Style, name, |text, file, _| walk::read_style(text, file))
}

/// The built-in motion of that name, or the one in a file of any motion format.
///
/// # Errors
/// An unknown name, the name of another kind of item, a file that is not a motion; options that do not apply to the
/// file; as [`motion::read`] and [`keyed::read`].
pub fn motion(name: &str, options: &Options) -> Result<Motion, Error> {
    let path = Path::new(name);
    if builtin::kind(name).is_some() {
        let clip = item(ItemKind::Motion, name, |text, file, _| keyed::read(text, file))?;
        loaded_motion::refuse_options(options, name)?;
        return Ok(Motion::Clip(clip));
    }
    if is_toml(path) {
        let text = file::text(path)?;
        if toml_kind(&text, name)? == ItemKind::Motion {
            return Ok(Motion::Clip(keyed::read(&text, name)?));
        }
    }
    if motion::is_motion(path) {
        loaded_motion::refuse_options(options, name)?;
        return motion::read(path, options);
    }
    match path.extension() {
        Some(_) => Err(Error::UnknownFormat { file: name.into(), expected: MOTIONS_IN }),
        None => Err(unknown(name, ItemKind::Motion)),
    }
}

/// The name in a field of a file in `dir`: as it is for a built-in item, else the path of an existing file.
///
/// # Errors
/// Neither.
pub(crate) fn name_or_path(field: &Field, kind: ItemKind, dir: Option<&Path>) -> Result<String, Error> {
    let given = field.string()?;
    if builtin::find(kind, given).is_some() {
        return Ok(given.into());
    }
    match beside(given, dir) {
        Some(path) => Ok(path.to_string_lossy().into_owned()),
        None => Err(field.wrong(format!(
            "there is no {} `{given}` and no such file beside this one; the nearest built-in ones are `{}`",
            kind.built_in(),
            nearest(given, builtin::names(kind)).join("`, `")
        ))),
    }
}

/// Path of an existing file, relative to `dir`.
pub(crate) fn beside(name: &str, dir: Option<&Path>) -> Option<PathBuf> {
    let path = dir.map_or_else(|| Path::new(name).into(), |dir| dir.join(name));
    path.is_file().then_some(path)
}

/// Writes a figure in the format of the file extension, as [`load::save`]; `.svg` is a picture of its home pose.
///
/// # Errors
/// As [`load::save`].
pub fn save_figure(path: &Path, figure: &Figure) -> Result<Vec<Warning>, Error> {
    if !file::has_extension(path, &["svg"]) {
        return load::save(path, figure);
    }
    let home = svg::Frame { q: figure.forest().home().to_vec(), label: figure.name.clone() };
    file::replace(path, svg::strip(figure, &[home]).as_bytes())?;
    Ok(Vec::new())
}
