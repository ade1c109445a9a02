//! Trees, loops, contact and time steps against closed forms, other engines and each other.

mod allocation;
mod closed_form;
mod closed_oracle;
mod closed_simulation;
mod closure;
mod constraint;
mod contact;
mod contact_robust;
mod contact_solver;
mod detect;
mod drift;
mod drive;
mod falls;
mod friction_problem;
mod fuzz;
mod held;
mod integrate;
mod lanes;
mod mechanisms;
mod moving_base;
mod opensim;
mod oracle;
mod passive;
mod structure;
mod trees;
mod tumble;
