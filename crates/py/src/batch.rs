//! Many states at once: four in the lanes of a kernel, and groups of four over threads.
//!
//! Each state has the bits that a single call gives. Threads live as long as the call, so that processes may be forked.

use crate::error::{Answer, Problem};
use anthropi_dynamics::algo::{crba, lanes};
use anthropi_dynamics::constraint;
use anthropi_dynamics::model::Forest;
use anthropi_dynamics::spatial::{LANES, Lanes};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::thread;

/// Fewer states are not worth a thread.
const WORTH_A_THREAD: usize = 128;

/// External forces go with one state.
pub fn refuse_external(external: Option<&Bound<PyDict>>) -> Answer<()> {
    match external {
        Some(_) => Err(Problem::Argument("external forces go with one state at a time".into())),
        None => Ok(()),
    }
}

/// tau, row by row.
pub fn inverse_dynamics(
    forest: &Forest,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    threads: Option<usize>,
) -> Vec<f64> {
    let (nq, nv) = (forest.nq(), forest.nv());
    each(q.len() / nq.max(1), nv, threads, || {
        let (mut work, mut io) = (lanes::Work::default(), Four::default());
        move |first: usize, tau: &mut [f64]| {
            io.q.take(q, nq, first);
            io.v.take(v, nv, first);
            io.x.take(a, nv, first);
            io.y.0.resize(nv, Lanes::default());
            lanes::inverse_dynamics(forest, &io.q.0, &io.v.0, &io.x.0, None, &mut work, &mut io.y.0);
            io.y.give(tau, nv);
        }
    })
}

/// a, row by row; with connections one state after the other, for they have no lanes.
pub fn forward_dynamics(
    forest: &Forest,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    threads: Option<usize>,
) -> Vec<f64> {
    let (nq, nv) = (forest.nq(), forest.nv());
    let states = q.len() / nq.max(1);
    if !forest.loops().is_empty() {
        return each(states, nv, threads, || {
            let mut work = constraint::Work::default();
            move |first: usize, a: &mut [f64]| {
                for (k, a) in a.chunks_mut(nv).enumerate() {
                    let (q, v, tau) = (row(q, nq, first + k), row(v, nv, first + k), row(tau, nv, first + k));
                    constraint::forward_dynamics(forest, q, v, tau, None, None, &mut work, a);
                }
            }
        });
    }
    each(states, nv, threads, || {
        let (mut work, mut io) = (lanes::Work::default(), Four::default());
        move |first: usize, a: &mut [f64]| {
            io.q.take(q, nq, first);
            io.v.take(v, nv, first);
            io.x.take(tau, nv, first);
            io.y.0.resize(nv, Lanes::default());
            lanes::forward_dynamics(forest, &io.q.0, &io.v.0, &io.x.0, None, None, &mut work, &mut io.y.0);
            io.y.give(a, nv);
        }
    })
}

/// M, matrix by matrix, each row by row.
pub fn mass_matrix(forest: &Forest, q: &[f64], threads: Option<usize>) -> Vec<f64> {
    let (nq, nv) = (forest.nq(), forest.nv());
    each(q.len() / nq.max(1), nv * nv, threads, || {
        let (mut work, mut m, mut io) =
            (lanes::Work::default(), crba::PathMatrix::default(), Four::default());
        move |first: usize, dense: &mut [f64]| {
            io.q.take(q, nq, first);
            lanes::mass_matrix(forest, &io.q.0, &mut work, &mut m);
            io.y.0 = m.to_dense(forest).concat();
            io.y.give(dense, nv * nv);
        }
    })
}

/// Rows of `width` for so many states. `worker` makes what fills the rows of up to four states from the first on; each
/// thread has one.
fn each<W: FnMut(usize, &mut [f64])>(
    states: usize,
    width: usize,
    threads: Option<usize>,
    worker: impl Fn() -> W + Sync,
) -> Vec<f64> {
    let mut out = vec![0.0; states * width];
    if out.is_empty() {
        return out;
    }
    let most = threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)).max(1);
    let threads = states.div_ceil(WORTH_A_THREAD).min(most);
    let share = states.div_ceil(threads).next_multiple_of(LANES);
    let fill = |from: usize, rows: &mut [f64]| {
        let mut work = worker();
        for (k, group) in rows.chunks_mut(LANES * width).enumerate() {
            work(from + k * LANES, group);
        }
    };
    thread::scope(|scope| {
        let mut parts = out.chunks_mut(share * width).enumerate();
        let own = parts.next();
        for (k, rows) in parts {
            scope.spawn(move || fill(k * share, rows));
        }
        own.into_iter().for_each(|(_, rows)| fill(0, rows));
    });
    out
}

fn row(all: &[f64], width: usize, k: usize) -> &[f64] {
    &all[k * width..(k + 1) * width]
}

/// Four states side by side.
#[derive(Default)]
struct Four {
    q: Side,
    v: Side,
    x: Side,
    y: Side,
}

/// A number of each of four states, for each number of a state.
#[derive(Default)]
struct Side(Vec<Lanes>);

impl Side {
    /// Four rows from the first on; where there are fewer, the last once more.
    fn take(&mut self, all: &[f64], width: usize, first: usize) {
        let last = all.len() / width.max(1) - 1;
        let rows: [&[f64]; LANES] = std::array::from_fn(|lane| row(all, width, (first + lane).min(last)));
        self.0.clear();
        self.0.extend((0..width).map(|k| Lanes(rows.map(|row| row[k]))));
    }

    /// Into as many rows as there are.
    fn give(&self, rows: &mut [f64], width: usize) {
        for (lane, row) in rows.chunks_mut(width).enumerate() {
            row.iter_mut().zip(&self.0).for_each(|(to, from)| *to = from.0[lane]);
        }
    }
}
