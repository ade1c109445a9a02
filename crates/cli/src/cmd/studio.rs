//! `studio`: serves the page to this machine, or writes it to a folder.
//!
//! | part | what it does |
//! |---|---|
//! | `page` | the files of the page, built into the program |
//! | `answer` | what is answered to a request, and what is refused |
//! | `server` | connections |

mod answer;
mod page;
mod server;

use super::Outcome;
use crate::args::StudioArgs;
use crate::report;
use answer::{Given, Site};
use anthropi_io::load;
use anyhow::{Context, bail};
use serde_json::json;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};

/// Where it is served unless that is taken.
const PORT: u16 = 4242;

/// Serves until it is ended, or writes the page.
pub fn run(args: &StudioArgs, as_json: bool) -> anyhow::Result<Outcome> {
    if page::FILES.is_empty() {
        bail!(
            "this program was built without the page of the studio: `make web` in the source folder builds it (it needs Node.js), \
             then build the program again"
        );
    }
    if let Some(folder) = &args.export {
        return export(folder, as_json);
    }
    let given = args.file.as_deref().map(given).transpose()?;
    let listener = listen(args.port)?;
    let port = listener.local_addr()?.port();
    let open = given.as_ref().map_or(String::new(), |g| format!("#open={}", g.name));
    let address = format!("http://127.0.0.1:{port}/{open}");
    if as_json {
        report::json(&json!({ "address": address, "port": port }))?;
    } else {
        report::print(&format!("the studio is at {address}\nCtrl+C ends it\n"))?;
    }
    if !args.no_open && !args.embed {
        show(&address);
    }
    server::serve(&listener, &Site { port, given, is_embedded: args.embed })?;
    Ok(Outcome::Fine)
}

/// The one file that the page may read.
fn given(path: &Path) -> anyhow::Result<Given> {
    if path.is_dir() {
        bail!("{}: is a folder; one file is asked for", path.display());
    }
    let bytes = load::bytes(path)?;
    let name = path.file_name().context("a file is asked for")?.to_string_lossy();
    // in an address only letters, digits and few others stand for themselves
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    Ok(Given { name: name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect(), bytes })
}

fn listen(port: Option<u16>) -> anyhow::Result<TcpListener> {
    let at = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    match port {
        Some(port) => at(port).with_context(|| format!("port {port} of 127.0.0.1")),
        None => at(PORT).or_else(|_| at(0)).context("127.0.0.1"),
    }
}

fn export(folder: &Path, as_json: bool) -> anyhow::Result<Outcome> {
    for (name, bytes) in page::FILES {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        report::folder(parent)?;
        load::replace(&path, bytes)?;
    }
    let (count, size) = (page::FILES.len(), page::FILES.iter().map(|(_, b)| b.len()).sum::<usize>());
    if as_json {
        report::json(&json!({ "folder": folder.display().to_string(), "files": count, "bytes": size }))?;
    } else {
        report::print(&format!(
            "{count} files, {:.1} MB: {}\nany web server can serve this folder\n",
            size as f64 / 1e6,
            folder.display()
        ))?;
    }
    Ok(Outcome::Fine)
}

/// Asks the system to show an address; who has no browser has read the address.
fn show(address: &str) {
    let tries: &[&[&str]] = match std::env::consts::OS {
        "macos" => &[&["open"]],
        "windows" => &[&["cmd", "/c", "start", ""]],
        _ => &[&["xdg-open"], &["sensible-browser"]],
    };
    let start = |words: &&[&str]| -> io::Result<()> {
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .arg(address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().map(|_| ())
    };
    let _ = tries.iter().any(|words| start(words).is_ok());
}
