//! Batches of states: four per SIMD kernel, groups of four over threads.
//!
//! Results equal those of single calls bit by bit. Threads end with the call, so that processes may be forked.

use crate::error::{Answer, Problem};
use anthropi_dynamics::algo::{crba, lanes};
use anthropi_dynamics::constraint;
use anthropi_dynamics::model::Forest;
use anthropi_dynamics::spatial::{LANES, Lanes};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::thread;

/// States per thread, at least.
const MIN_PER_THREAD: usize = 128;

/// Refuses external forces, which need a single state.
pub fn refuse_external(external: Option<&Bound<PyDict>>) -> Answer<()> {
    match external {
        Some(_) => Err(Problem::Argument("external forces need a single state".into())),
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
    four_at_a_time(forest, [q, v, a], threads, |four, work| {
        lanes::inverse_dynamics(forest, &four.q.0, &four.v.0, &four.x.0, None, work, &mut four.y.0);
    })
}

/// a, row by row; with connections state by state, as the kernel has no loops.
pub fn forward_dynamics(
    forest: &Forest,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    threads: Option<usize>,
) -> Vec<f64> {
    if forest.loops().is_empty() {
        return four_at_a_time(forest, [q, v, tau], threads, |four, work| {
            lanes::forward_dynamics(forest, &four.q.0, &four.v.0, &four.x.0, None, None, work, &mut four.y.0);
        });
    }
    let (nq, nv) = (forest.nq(), forest.nv());
    each(q.len() / nq.max(1), nv, threads, || {
        let mut work = constraint::Work::default();
        move |first: usize, a: &mut [f64]| {
            for (k, a) in a.chunks_mut(nv).enumerate() {
                let (q, v, tau) = (row(q, nq, first + k), row(v, nv, first + k), row(tau, nv, first + k));
                constraint::forward_dynamics(forest, q, v, tau, None, None, &mut work, a);
            }
        }
    })
}

/// Results y of q, v and x of many states, row by row.
fn four_at_a_time(
    forest: &Forest,
    [q, v, x]: [&[f64]; 3],
    threads: Option<usize>,
    kernel: impl Fn(&mut Four, &mut lanes::Work) + Sync,
) -> Vec<f64> {
    let (nq, nv, kernel) = (forest.nq(), forest.nv(), &kernel);
    each(q.len() / nq.max(1), nv, threads, || {
        let (mut work, mut four) = (lanes::Work::default(), Four::default());
        move |first: usize, rows: &mut [f64]| {
            four.q.take(q, nq, first);
            four.v.take(v, nv, first);
            four.x.take(x, nv, first);
            four.y.0.resize(nv, Lanes::default());
            kernel(&mut four, &mut work);
            four.y.give(rows, nv);
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

/// Rows of `width` for `states` states. `worker` makes a function for each thread, which fills the rows of up to four
/// states from the given one on.
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
    let threads = states.div_ceil(MIN_PER_THREAD).min(most);
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

/// Coordinates of four states, interleaved.
#[derive(Default)]
struct Side(Vec<Lanes>);

impl Side {
    /// Reads four rows from the first on; repeats the last if there are fewer.
    fn take(&mut self, all: &[f64], width: usize, first: usize) {
        let last = all.len() / width.max(1) - 1;
        let rows: [&[f64]; LANES] = std::array::from_fn(|lane| row(all, width, (first + lane).min(last)));
        self.0.clear();
        self.0.extend((0..width).map(|k| Lanes(rows.map(|row| row[k]))));
    }

    /// Writes the existing rows.
    fn give(&self, rows: &mut [f64], width: usize) {
        for (lane, row) in rows.chunks_mut(width).enumerate() {
            row.iter_mut().zip(&self.0).for_each(|(to, from)| *to = from.0[lane]);
        }
    }
}
