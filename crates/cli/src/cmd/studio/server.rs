//! Connections: a thread each, one request each, none that lingers.

use super::answer::{Answer, Site};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Longest head of a request, bytes.
const HEAD: usize = 16 << 10;
/// A request has to be there, and an answer to be taken, within this.
const PATIENCE: Duration = Duration::from_secs(10);
/// Connections at once; more wait in the system's queue.
const MOST: usize = 64;

/// Answers requests until the program is ended.
pub fn serve(listener: &TcpListener, site: &Site) -> io::Result<()> {
    let open = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        loop {
            // a connection that failed before it was taken is nothing to end for
            let Ok((stream, _)) = listener.accept() else {
                std::thread::sleep(Duration::from_millis(10));
                continue;
            };
            while open.load(Ordering::Acquire) >= MOST {
                std::thread::sleep(Duration::from_millis(1));
            }
            open.fetch_add(1, Ordering::AcqRel);
            scope.spawn(|| {
                // who goes away in the middle is not waited for
                let _ = converse(stream, site);
                open.fetch_sub(1, Ordering::AcqRel);
            });
        }
    })
}

fn converse(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let Some(head) = head(&mut stream)? else {
        let body = b"a request of at most 16 kB is expected\n";
        let answer =
            Answer { status: "431 Request Header Fields Too Large", kind: "text/plain; charset=utf-8", body };
        say(&mut stream, &answer, site, true)?;
        return hear_out(&mut stream);
    };
    say(&mut stream, &site.answer(&head), site, !head.starts_with("HEAD "))
}

/// Takes what is still being said, so that the answer is read: a connection closed on unread bytes breaks off.
fn hear_out(stream: &mut TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.take(HEAD as u64).read_to_end(&mut Vec::new()).map(|_| ())
}

/// First line and headers; `None` where they do not end.
fn head(stream: &mut TcpStream) -> io::Result<Option<String>> {
    let (mut bytes, mut part, start) = (Vec::new(), [0; 1024], Instant::now());
    while bytes.len() < HEAD && start.elapsed() < PATIENCE {
        let count = stream.read(&mut part)?;
        bytes.extend_from_slice(&part[..count]);
        if let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            return Ok(Some(String::from_utf8_lossy(&bytes[..end]).into_owned()));
        }
        if count == 0 {
            break;
        }
    }
    Ok(None)
}

fn say(stream: &mut TcpStream, answer: &Answer, site: &Site, has_body: bool) -> io::Result<()> {
    let Answer { status, kind, body } = answer;
    let allow = if status.starts_with("405") { "Allow: GET, HEAD\r\n" } else { "" };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{allow}{}Connection: close\r\n\r\n",
        body.len(),
        site.headers()
    );
    stream.write_all(head.as_bytes())?;
    if has_body {
        stream.write_all(body)?;
    }
    stream.flush()
}
