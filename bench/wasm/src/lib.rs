//! Forward dynamics of a figure in WebAssembly, timed by `time.mjs`.

use anthropi_bench::flat;
use anthropi_bench::sample::{STATES, Sample, random};
use anthropi_dynamics::algo::aba;
use anthropi_dynamics::model::Figure;
use std::cell::RefCell;

struct Bench {
    figure: Figure,
    samples: Vec<Sample<f64>>,
    work: aba::Work,
    a: Vec<f64>,
}

thread_local! {
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static BENCH: RefCell<Option<Bench>> = const { RefCell::new(None) };
}

/// Appends a byte of the figure's flat file, as written by `gen_models.py`.
#[unsafe(no_mangle)]
pub extern "C" fn push(byte: u8) {
    TEXT.with_borrow_mut(|text| text.push(byte));
}

/// Reads the figure and generates its states; returns their number, 0 if the figure is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn ready() -> u32 {
    let text = String::from_utf8(TEXT.take()).unwrap_or_default();
    let Ok(figure) = flat::read(&text, false) else { return 0 };
    let (samples, a) = (random(&figure, STATES), vec![0.0; figure.forest().nv()]);
    BENCH.replace(Some(Bench { figure, samples, work: aba::Work::default(), a }));
    STATES as u32
}

/// Forward dynamics of all states, `rounds` times; returns a number that depends on each.
#[unsafe(no_mangle)]
pub extern "C" fn forward_dynamics(rounds: u32) -> f64 {
    BENCH.with_borrow_mut(|bench| {
        let Some(b) = bench else { return f64::NAN };
        let mut sum = 0.0;
        for _ in 0..rounds {
            for s in &b.samples {
                let forest = b.figure.forest();
                aba::forward_dynamics(forest, &s.q, &s.v, &s.tau, None, None, &mut b.work, &mut b.a);
                sum += b.a[0];
            }
        }
        sum
    })
}
