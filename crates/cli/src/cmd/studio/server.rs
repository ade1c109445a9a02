//! Connections: one thread and one request each, with timeouts.

use super::response::{Response, Site};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Longest head of a request, bytes.
const HEAD: usize = 16 << 10;
/// Timeout for requests and responses.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Concurrent connections; more wait in the system's queue.
const MAX_CONNECTIONS: usize = 64;

/// Serves requests until the program ends.
pub fn serve(listener: &TcpListener, site: &Site) -> io::Result<()> {
    let open = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        loop {
            // a failed connection does not end the server
            let Ok((stream, _)) = listener.accept() else {
                std::thread::sleep(Duration::from_millis(10));
                continue;
            };
            while open.load(Ordering::Acquire) >= MAX_CONNECTIONS {
                std::thread::sleep(Duration::from_millis(1));
            }
            open.fetch_add(1, Ordering::AcqRel);
            scope.spawn(|| {
                // ignore clients that disconnect
                let _ = handle(stream, site);
                open.fetch_sub(1, Ordering::AcqRel);
            });
        }
    })
}

fn handle(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let Some(head) = head(&mut stream)? else {
        let body = b"expected a request of at most 16 kB\n";
        let response = Response {
            status: "431 Request Header Fields Too Large",
            kind: "text/plain; charset=utf-8",
            body,
        };
        send(&mut stream, &response, site, true)?;
        return drain(&mut stream);
    };
    send(&mut stream, &site.respond(&head), site, !head.starts_with("HEAD "))
}

/// Reads the rest of the request: closing a connection with unread bytes would reset it before the response is read.
fn drain(stream: &mut TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.take(HEAD as u64).read_to_end(&mut Vec::new()).map(|_| ())
}

/// First line and headers; `None` if they do not end.
fn head(stream: &mut TcpStream) -> io::Result<Option<String>> {
    let (mut bytes, mut part, start) = (Vec::new(), [0; 1024], Instant::now());
    while bytes.len() < HEAD && start.elapsed() < TIMEOUT {
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

fn send(stream: &mut TcpStream, response: &Response, site: &Site, has_body: bool) -> io::Result<()> {
    let Response { status, kind, body } = response;
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
