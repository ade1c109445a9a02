//! Small dense linear systems.
//!
//! | type | matrix | method |
//! |---|---|---|
//! | `Ldl` | symmetric, well conditioned | LDL^T in packs of lanes; fails on small pivots |
//! | `LowRank` | symmetric positive semidefinite | `Ldl`, or pivoted Cholesky: rank and least-norm solution |
//! | `Blocks` | sparse by blocks, symmetric part positive definite | LU without pivots, least degree first |
//! | `DenseSystem` | any square, possibly singular | `Ldl`, or a shifted Cholesky or LU with refinement: solution near a guess |
//!
//! Factors elsewhere use structure that these do not: branch-sparse `algo::ltl`; in the `motion` crate, the skyline of
//! `admm`, the normal equations of `filter` and `ik`, and the Newton steps of `dual`.

mod blocks;
mod ldl;
mod low_rank;
mod system;

pub(crate) use blocks::Blocks;
pub(crate) use ldl::stride;
pub(crate) use low_rank::{DAMPING, LowRank};
pub(crate) use system::DenseSystem;
