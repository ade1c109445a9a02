//! Random commands at random times: refused commands change nothing, rewinding is exact, and the replay ends with the
//! same bits.

use anthropi_studio::command::Gains;
use anthropi_studio::{Command, Session, library, protocol};
use testkit::Rng;

fn digest(session: &Session) -> u64 {
    session.simulator().digest()
}

fn some<T: Clone>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.below(all.len())].clone()
}

fn names(session: &Session) -> (Vec<String>, Vec<String>) {
    let figure = session.simulator().figure();
    let links = figure.links().map(|(_, l)| l.spec.name.clone());
    let joints = figure.joints().map(|(_, j)| j.name.clone());
    let connections = figure.connections().map(|(_, _, j)| j.name.clone());
    (links.chain(["tail".into()]).collect(), joints.chain(connections).chain(["tail".into()]).collect())
}

/// A random command, mostly with existing names and moderate values.
fn command(rng: &mut Rng, session: &Session) -> Command {
    let (links, joints) = names(session);
    let (link, joint) = (some(rng, &links), some(rng, &joints));
    let near = |rng: &mut Rng, size: f64| rng.vec3(size).to_array();
    let dof = rng.below(4);
    match rng.below(16) {
        0..3 => Command::Drag { link, at: near(rng, 0.1), to: near(rng, 2.0) },
        3 => Command::LetGo,
        4 => Command::Push { link, at: near(rng, 0.1), force: near(rng, 80.0), seconds: 0.3 * rng.uniform() },
        5 => Command::Force { link, force: near(rng, 40.0) },
        6 => Command::Torque { joint, dof, size: 20.0 * rng.signed() },
        7 => Command::Pin { link, at: near(rng, 0.1) },
        8 => Command::Connect { link, at: near(rng, 0.1), to: some(rng, &links) },
        9 => Command::Cut { joint },
        10 => Command::Lock { joint, dof },
        11 => Command::Unlock { joint, dof },
        12 => Command::Put { joint, dof, value: rng.signed(), order: None },
        13 => Command::Root { link },
        14 => Command::Signal { name: some(rng, &["left hand", "go", "release"]).into() },
        _ => {
            let gains = Gains { strength: 0.05 + rng.uniform(), ..Gains::default() };
            Command::Filter { is_on: rng.below(4) > 0, friction: rng.uniform(), gains }
        }
    }
}

/// The session at a step, before its commands.
struct Seen {
    step: u64,
    digest: u64,
    log: usize,
}

fn play(name: &str, seed: u64, rounds: usize) {
    let mut rng = Rng::new(seed);
    let mut session = library::open(name).unwrap();
    let mut seen: Vec<Seen> = Vec::new();
    let why = |round: usize| format!("{name}, seed {seed}, round {round}");
    for round in 0..rounds {
        seen.retain(|s| s.step < session.step());
        if session.log().last().is_none_or(|e| e.step < session.step()) {
            seen.push(Seen { step: session.step(), digest: digest(&session), log: session.log().len() });
        }
        for _ in 0..rng.below(4) {
            let (before, log) = (digest(&session), session.log().to_vec());
            let command = command(&mut rng, &session);
            if let Err(error) = session.apply(command.clone()) {
                let is_same = digest(&session) == before && session.log() == log;
                assert!(is_same, "{}: {command:?} was refused and changed something", why(round));
                assert!(error.to_string().len() > 10, "{}: {command:?}: {error}", why(round));
            }
        }
        let steps = rng.below(80) as u64;
        let from = session.step();
        if session.advance(steps).is_err() {
            assert!(session.step() <= from + steps, "{}", why(round));
        }
        let (q, v) = session.simulator().state();
        assert!(q.iter().chain(v).all(|x| x.is_finite()), "{}", why(round));
        let frame = protocol::frame(&mut session);
        assert!(frame.poses.iter().all(|x| x.is_finite()), "{}", why(round));
        match rng.below(8) {
            0 if !seen.is_empty() => {
                let Seen { step, digest: then, log } = seen.swap_remove(rng.below(seen.len()));
                if step <= session.step() {
                    session.rewind(step).unwrap_or_else(|e| panic!("{}: {e}", why(round)));
                    assert_eq!((digest(&session), session.step()), (then, step), "{}: rewind", why(round));
                    assert_eq!(session.log().len(), log, "{}: the log", why(round));
                }
                seen.retain(|s| s.step < step);
            }
            1 => {
                if let Err(error) = session.undo() {
                    assert!(error.to_string().contains("nothing to undo"), "{}: {error}", why(round));
                }
                seen.retain(|s| s.step < session.step());
            }
            _ => (),
        }
    }
    let replay = session.replay();
    let again = replay.run(library::open(name).unwrap(), &mut |_| ()).unwrap();
    assert!(replay.is_same(&again), "{name}, seed {seed}: the replay ends elsewhere");
}

#[test]
fn random_commands_to_scenes() {
    for (k, name) in
        ["pendulum", "four-bar", "monkey-swing", "high-bar", "drop-box", "stand-28"].iter().enumerate()
    {
        for seed in 0..12 {
            play(name, 100 * k as u64 + seed, 25);
        }
    }
}

#[test]
fn random_commands_to_motions_and_walks() {
    for (k, name) in ["keyed-kick", "push-standing", "endless-walk-28"].iter().enumerate() {
        play(name, 1000 + k as u64, 12);
    }
}

#[test]
fn rewinding_beyond_the_history_changes_nothing() {
    let mut session = library::open("pendulum").unwrap();
    let joint = session.simulator().figure().joints().next().unwrap().1.name.clone();
    session.advance(10).unwrap();
    session.apply(Command::Torque { joint, dof: 0, size: 1.5 }).unwrap();
    while session.earliest() <= 10 {
        session.advance(250).unwrap();
    }
    let (before, log) = (digest(&session), session.log().to_vec());
    assert_eq!(log.len(), 1);
    assert!(session.rewind(5).is_err() && session.undo().is_err());
    assert_eq!((digest(&session), session.log().to_vec()), (before, log));
    let replay = session.replay();
    assert!(replay.is_same(&replay.run(library::open("pendulum").unwrap(), &mut |_| ()).unwrap()));
}
