//! Motions: clips, inverse dynamics, the filter, gaits, and what they say of recorded people.

mod anatomy;
mod certificate;
mod clip;
mod contact_schedule;
mod endless_walk;
mod estimate;
mod filter;
mod floor;
mod foot_plant;
mod gait;
mod gait2354;
mod hidds;
mod hybrid_dynamics;
mod ik;
mod invariance;
mod inverse;
mod jumps;
mod lamps;
mod person;
mod poses;
mod pseudo_inverse;
mod retarget;
mod signals;
mod surroundings;
mod virtual_leg;
mod wrenches;
