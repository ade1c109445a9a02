//! MJCF, the model format of MuJoCo: nested bodies, joints inside them, default classes, included files.
//!
//! Source: the XML reference and the modelling chapter of MuJoCo's documentation.
//! We differ: see the table. Warnings list unsupported elements.
//!
//! | MJCF | figure |
//! |---|---|
//! | body without joints | link with a fixed joint `BODY_fixed` |
//! | body with one joint | link with that joint |
//! | body with several | massless links `BODY/JOINT`, the last one is `BODY` |
//! | `ref` of a joint | home coordinate; the reference pose is at `q = ref` |
//! | `equality` connect, weld | connection by a spherical or fixed joint, at the frames of the sites if given |
//! | `actuator` | `actuated` and `effort` of the joint it drives |
//! | geoms | shapes; visual geoms only if the body has no collision geoms |
//! | mesh geoms | mass only, if the body has no `inertial`; STL, OBJ and MSH files |
//!
//! Checked by: `tests/it/mjcf.rs`, `tests/it/hostile_xml.rs`.

pub(crate) mod chain;
mod defaults;
mod geom;
mod include;
mod joint;
mod link;
mod mass;
mod mesh;
mod read;
mod settings;
mod write;

pub use read::read;
pub use write::write;
