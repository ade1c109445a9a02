//! Built-in files, scenes, requests and reports.

mod builtin;
mod filter_scene;
mod hostile_motions;
mod keyed;
mod report;
mod result;
mod scene;
mod scene_contact;
mod scene_walk;
mod walks;
