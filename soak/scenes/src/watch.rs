//! Runs a scene step by step and checks its invariants.

mod change;
mod energy;
mod fault;

pub use fault::{Fault, Kind, Seen};

use crate::build;
use crate::measure::{closure, largest, unlawful, velocities};
use crate::recipe::Recipe;
use anthropi_dynamics::model::LinkHandle;
use anthropi_dynamics::sim::{Control, Simulation};
use anthropi_dynamics::spatial::Vec3;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Tolerance of closed connections, m or rad.
const CLOSED: f64 = 1e-8;
/// Tolerance of contact laws, relative to the load.
const LAWFUL: f64 = 1e-8;
/// Longest processor time of a step, s.
const SLOW: f64 = 0.25;
/// Overlap above which pushing apart counts as work, m.
const DEEP: f64 = 1e-5;
/// Rotation per step above which energy and closure are not checked, rad.
const FAST: f64 = 0.3;

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Records panic messages instead of printing them.
pub fn listen_to_panics() {
    std::panic::set_hook(Box::new(|info| PANIC.with(|p| *p.borrow_mut() = info.to_string())));
}

/// Runs a scene; a panic is a fault like others. Calls `log` after each step.
pub fn run(recipe: &Recipe, log: &mut dyn FnMut(&str)) -> Result<Seen, Fault> {
    let result = catch_unwind(AssertUnwindSafe(|| Run::new(recipe)?.all(log)));
    result.unwrap_or_else(|_| {
        let what = PANIC.with(|p| p.borrow().clone());
        Err(Fault { kind: Kind::Panic, step: 0, what })
    })
}

/// A temporary push on a link.
#[derive(Clone, Debug)]
struct Pushed {
    link: LinkHandle,
    point: Vec3,
    force: Vec3,
    torque: Vec3,
    until: f64,
}

struct Run<'a> {
    recipe: &'a Recipe,
    sim: Simulation,
    seen: Seen,
    pushed: Vec<Pushed>,
    /// controls: start time and initial joint positions
    holds: Vec<(Control, f64, Vec<Vec<f64>>)>,
    driven: Option<(u64, Vec<f64>)>,
    work: f64,
    /// smallest energy minus work since the last change, and its step
    least: f64,
    least_at: usize,
    /// available energy since then
    scale: f64,
    is_deep: bool,
    is_fast: bool,
}

impl<'a> Run<'a> {
    fn new(recipe: &'a Recipe) -> Result<Run<'a>, Fault> {
        let fault = |kind, what: String| Fault { kind, step: 0, what };
        let by_hand = build::by_hand(recipe).map_err(|e| fault(Kind::Refused, e.to_string()))?;
        let mut sim = by_hand;
        if recipe.by_text
            && let Some(read) = build::by_text(recipe, &sim).map_err(|e| fault(Kind::Text, e))?
        {
            sim = read;
        }
        sim.integrator = recipe.integrator;
        Ok(Run {
            recipe,
            sim,
            seen: Seen::default(),
            pushed: Vec::new(),
            holds: Vec::new(),
            driven: None,
            work: 0.0,
            least: f64::INFINITY,
            least_at: 0,
            scale: 0.0,
            is_deep: false,
            is_fast: false,
        })
    }

    fn all(mut self, log: &mut dyn FnMut(&str)) -> Result<Seen, Fault> {
        for step in 0..self.recipe.steps {
            self.change(step)?;
            self.step(step)?;
            log(&self.line(step));
        }
        let t = self.sim.contact_tally();
        (self.seen.unsolved, self.seen.cuts, self.seen.fallbacks) = (t.unsolved, t.cuts, t.fallbacks);
        self.seen.contact_steps = t.steps;
        self.seen.digest = self.sim.digest();
        Ok(self.seen)
    }

    fn line(&mut self, step: usize) -> String {
        let e = self.sim.energy();
        let fastest = self.sim.state().v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        format!(
            "{step:4}  kinetic {:.6e}  energy less work {:.9e}  fastest {fastest:.3e}  open {:.1e}  contacts {}  overlap {:.1e}",
            e.kinetic,
            e.total() - self.work,
            closure(&mut self.sim),
            self.sim.contacts().len(),
            self.sim.penetration(),
        )
    }

    fn fault<T>(&self, kind: Kind, step: usize, what: impl Into<String>) -> Result<T, Fault> {
        Err(Fault { kind, step, what: what.into() })
    }

    fn step(&mut self, step: usize) -> Result<(), Fault> {
        self.note_energy(step);
        let before = self.before();
        let violations = self.sim.contact_tally().violations;
        let (clock, cpu) = (Instant::now(), processor_seconds());
        let stepped = self.sim.step(self.recipe.dt);
        let mut took = clock.elapsed().as_secs_f64();
        if took > SLOW {
            took = took.min(processor_seconds() - cpu);
        }
        self.seen.slowest = self.seen.slowest.max(took);
        self.seen.steps += 1;
        if let Err(e) = stepped {
            return self.fault(Kind::Diverged, step, e.to_string());
        }
        if took > SLOW {
            return self.fault(Kind::Slow, step, format!("took {took:.2} s"));
        }
        let s = self.sim.state();
        if s.q.iter().chain(&s.v).any(|x| !x.is_finite()) {
            return self.fault(Kind::Diverged, step, "a number is not finite");
        }
        let was_fast = self.is_fast;
        let most = velocities(&mut self.sim).iter().fold(0.0, |m, (_, v)| largest(m, v.angular.norm()));
        self.is_fast = !(most * self.recipe.dt <= FAST);
        self.seen.fast += u64::from(self.is_fast);
        if !was_fast {
            self.look_at_connections(step)?;
        }
        self.look_at_contacts(step, violations)?;
        self.work += self.work_since(&before);
        self.look_at_energy(step)
    }

    fn look_at_connections(&mut self, step: usize) -> Result<(), Fault> {
        let reported = self.sim.closure();
        let open = largest(largest(closure(&mut self.sim), reported.linear), reported.angular);
        if !(open <= CLOSED) {
            return self.fault(
                Kind::Closure,
                step,
                format!(
                    "a connection is open by {open:e}, reported {:e}",
                    reported.linear.max(reported.angular)
                ),
            );
        }
        self.seen.closure = self.seen.closure.max(open);
        Ok(())
    }

    fn look_at_contacts(&mut self, step: usize, violations: u64) -> Result<(), Fault> {
        let new = self.sim.contact_tally().violations - violations;
        if new > 0 {
            return self.fault(Kind::Contact, step, format!("{new} violations"));
        }
        // after a bounce within the step, forces are sums over several poses
        if self.recipe.surface.restitution == 0.0 {
            let worst = unlawful(self.sim.contacts());
            if !(worst <= LAWFUL) {
                return self.fault(
                    Kind::Contact,
                    step,
                    format!("a force breaks its law by {worst:e} of the load"),
                );
            }
            self.seen.unlawful = self.seen.unlawful.max(worst);
        }
        if self.recipe.touches {
            let depth = self.sim.penetration();
            self.is_deep = !(depth <= DEEP);
            self.seen.deepest = self.seen.deepest.max(depth);
        }
        Ok(())
    }
}

/// Processor time of this thread; 0 if unavailable.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()).map_or(0.0, |n| 1e-9 * n)
}
