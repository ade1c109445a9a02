//! URDF, the robot description of ROS: links and joints by name, in any order.
//!
//! Source: the URDF page of the ROS wiki; `urdfdom` where it is silent.
//! We differ: the root link is fixed to the world by a joint called `root` (`root_fixed` if the file has a joint of
//! that name); `type="spherical"` is accepted; a `floating` joint below a massless root link makes the figure free; a
//! joint that carries no mass is locked.
//! Not here: planar joints, mimic (such joints move independently), meshes, anything other than links and joints.
//! Checked by: `tests/it/urdf.rs`, `tests/it/hostile_xml.rs`.

mod read;
mod write;

pub use read::read;
pub use write::write;
