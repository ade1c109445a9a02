//! Algorithms on trees, one per file, named as in the literature.
//!
//! All work in world axes with the origin of each body at its joint and with classical accelerations: the joint then
//! moves no point, spherical joints leave only a point mass above them, and no quantity is ever turned from one link's
//! axes to the next's. Scratch lives in a `Work` beside each algorithm; after it has seen a forest once, nothing uses
//! the heap.
//!
//! External forces are one [`Force`](crate::spatial::Force) a body (the world first), world axes, about the body's
//! origin.

pub mod aba;
pub mod centroidal;
pub mod crba;
pub mod energy;
pub mod fk;
#[cfg(test)]
#[path = "flops/tests.rs"]
mod flops;
pub mod jacobian;
pub mod lanes;
pub mod ltl;
pub mod moving_base;
mod place;
pub mod rnea;

pub(crate) use place::{Placed, place};

/// `N` entries of a slice as an array: one check.
#[inline(always)]
pub(crate) fn at<const N: usize, T>(s: &[T], i: usize) -> &[T; N] {
    s[i..].first_chunk().expect("vectors have the length of the forest")
}

/// `N` entries of a slice as an array: one check.
#[inline(always)]
pub(crate) fn at_mut<const N: usize, T>(s: &mut [T], i: usize) -> &mut [T; N] {
    s[i..].first_chunk_mut().expect("vectors have the length of the forest")
}

/// A parent's entry and its child's, both mutable; parents come first.
#[inline(always)]
pub(crate) fn pair<T>(s: &mut [T], parent: usize, child: usize) -> (&mut T, &mut T) {
    let (head, tail) = s.split_at_mut(child);
    (&mut head[parent], &mut tail[0])
}

/// Sets the length of a work vector; uses the heap only to grow beyond what it has seen.
pub(crate) fn fit<T: Clone + Default>(work: &mut Vec<T>, len: usize) {
    if work.len() != len {
        work.resize(len, T::default());
    }
}
