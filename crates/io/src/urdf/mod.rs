//! URDF, the robot description of ROS: links and joints by name, in any order.
//!
//! Source: the URDF page of the ROS wiki; `urdfdom` where it is silent.
//! We differ: the root link is fixed to the world by a joint called `root` (`root_fixed` if the file has a joint of
//! that name); `type="spherical"` is taken; a `floating` joint below a massless root link makes the figure free; a
//! joint beyond which nothing has mass is locked.
//! Not here: planar joints, mimic joints (kept as ordinary ones), meshes, everything that is neither link nor joint.
//! Checked by: `tests/urdf.rs`, `tests/hostile_xml.rs`.

mod read;
mod write;

pub use read::read;
pub use write::write;
