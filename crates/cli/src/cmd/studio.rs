//! `studio`: serve the page on this machine, or write it to a folder.

mod page;
mod response;
mod server;

use super::Outcome;
use crate::args::StudioArgs;
use crate::report;
use anthropi_formats::file;
use anyhow::{Context, bail};
use response::{ServedFile, Site};
use serde_json::json;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};

/// Default port.
const PORT: u16 = 4242;

/// Runs the command.
pub fn run(args: &StudioArgs, as_json: bool) -> anyhow::Result<Outcome> {
    if page::FILES.is_empty() {
        bail!(
            "this program was built without the studio page: run `make web` in the source folder (needs Node.js), then build \
             the program again"
        );
    }
    if let Some(folder) = &args.export {
        return export(folder, as_json);
    }
    let file = args.file.as_deref().map(served_file).transpose()?;
    let listener = listen(args.port)?;
    let port = listener.local_addr()?.port();
    let open = file.as_ref().map_or(String::new(), |f| format!("#open={}", f.name));
    let address = format!("http://127.0.0.1:{port}/{open}");
    report::show(
        as_json,
        || json!({ "address": address, "port": port }),
        || format!("the studio is at {address}\nstop it with Ctrl+C\n"),
    )?;
    if !args.no_open && !args.embed {
        show(&address);
    }
    server::serve(&listener, &Site { port, file, is_embedded: args.embed })?;
    Ok(Outcome::Fine)
}

/// The one file that the page may read.
fn served_file(path: &Path) -> anyhow::Result<ServedFile> {
    if path.is_dir() {
        bail!("{}: is a folder, not a file", path.display());
    }
    let bytes = file::bytes(path)?;
    let name = path.file_name().context("a file is required")?.to_string_lossy();
    // only characters that need no escape in an address
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    Ok(ServedFile { name: name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect(), bytes })
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
        file::replace(&path, bytes)?;
    }
    let (count, size) = (page::FILES.len(), page::FILES.iter().map(|(_, b)| b.len()).sum::<usize>());
    let (place, mb) = (folder.display().to_string(), size as f64 / 1e6);
    report::show(
        as_json,
        || json!({ "folder": place, "files": count, "bytes": size }),
        || format!("{count} files, {mb:.1} MB: {place}\nany web server can serve this folder\n"),
    )?;
    Ok(Outcome::Fine)
}

/// Opens an address in the browser, if there is one; the address is printed anyway.
fn show(address: &str) {
    let commands: &[&[&str]] = match std::env::consts::OS {
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
    let _ = commands.iter().any(|words| start(words).is_ok());
}
