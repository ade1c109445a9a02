//! Digest of a session, for comparison with the browser page.
//!
//! `studio-digest NAME STEPS` advances a library item; `studio-digest --replay FILE` runs a replay.

use anthropi_studio::{Error, library, replay::Replay};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let session = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--replay", file] => {
            let replay = Replay::read(&std::fs::read_to_string(file)?, file)?;
            replay.run(library::open(&replay.source)?, &mut |_| ())?
        }
        [name, steps] => {
            let mut session = library::open(name)?;
            session.advance(steps.parse()?)?;
            session
        }
        _ => {
            return Err(
                Error("expected: studio-digest NAME STEPS, or studio-digest --replay FILE".into()).into()
            );
        }
    };
    println!("{:016x}", session.simulator().digest());
    Ok(())
}
