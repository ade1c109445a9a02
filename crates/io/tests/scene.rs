//! Scenes: every built-in one is what its paper says; wrong ones are refused with place, field and what was expected.

use anthropi_dynamics::sim;
use anthropi_io::{builtin, scene};

#[test]
fn every_scene_loads_and_starts() {
    for b in builtin::scenes() {
        let s = builtin::scene(b.name).unwrap().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((s.name.as_str(), s.what.as_str()), (b.name, b.what));
        let mut sim = s.simulation().unwrap();
        for _ in 0..300 {
            sim.step(s.dt).unwrap_or_else(|e| panic!("{}: {e}", b.name));
        }
        println!("{}: {} {:?}", b.name, sim::coordinates(sim.figure()), sim.closure());
    }
}
