//! Responses to requests: files of the page and the file named on the command line, to this machine only.
//!
//! Accepts only GET and HEAD, only the loopback Host of this server (against DNS rebinding), and only known paths.

use super::page;

/// Served content.
pub struct Site {
    pub port: u16,
    pub file: Option<ServedFile>,
    /// whether local pages may embed it in a frame
    pub is_embedded: bool,
}

/// The file named on the command line.
pub struct ServedFile {
    /// name in the address
    pub name: String,
    pub bytes: Vec<u8>,
}

/// A response.
#[derive(Debug, PartialEq)]
pub struct Response<'a> {
    pub status: &'static str,
    pub kind: &'static str,
    pub body: &'a [u8],
}

/// Headers of every response: no external content, no type sniffing, no cache.
const HEADERS: &str = "X-Content-Type-Options: nosniff\r\n\
Referrer-Policy: no-referrer\r\n\
Cross-Origin-Opener-Policy: same-origin\r\n\
Cross-Origin-Embedder-Policy: require-corp\r\n\
Cross-Origin-Resource-Policy: same-origin\r\n\
Cache-Control: no-store\r\n\
Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; ";
/// Frames are forbidden, or allowed for local pages such as a notebook.
const NOT_EMBEDDED: &str = "frame-ancestors 'none'\r\nX-Frame-Options: DENY\r\n";
const EMBEDDED: &str =
    "frame-ancestors http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:*\r\n";

const TEXT: &str = "text/plain; charset=utf-8";

fn refused(status: &'static str, why: &'static str) -> Response<'static> {
    Response { status, kind: TEXT, body: why.as_bytes() }
}

impl Site {
    /// Headers of every response.
    pub fn headers(&self) -> String {
        format!("{HEADERS}{}", if self.is_embedded { EMBEDDED } else { NOT_EMBEDDED })
    }

    /// The response to the head of a request: its first line and headers.
    pub fn respond(&self, head: &str) -> Response<'_> {
        let mut lines = head.split("\r\n");
        let mut words = lines.next().unwrap_or("").split(' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return refused("400 Bad Request", "no request\n");
        };
        if !version.starts_with("HTTP/1.") {
            return refused("505 HTTP Version Not Supported", "HTTP/1.1 is expected\n");
        }
        let hosts: Vec<&str> = lines
            .filter_map(|l| l.split_once(':'))
            .filter(|(name, _)| name.eq_ignore_ascii_case("host"))
            .map(|(_, value)| value.trim())
            .collect();
        let is_own =
            |host: &str| ["127.0.0.1", "localhost"].iter().any(|n| *host == format!("{n}:{}", self.port));
        if !matches!(hosts[..], [host] if is_own(host)) {
            return refused("403 Forbidden", "this server is for 127.0.0.1 only\n");
        }
        if method != "GET" && method != "HEAD" {
            return refused("405 Method Not Allowed", "only GET is supported\n");
        }
        let path = target.split(['?', '#']).next().unwrap_or("");
        let Some(path) = path.strip_prefix('/') else {
            return refused("400 Bad Request", "a path is expected\n");
        };
        let file = self.file.as_ref().filter(|g| path.strip_prefix("given/") == Some(&g.name));
        match file
            .map(|g| (&g.bytes[..], "application/octet-stream"))
            .or(page::find(path).map(|b| (b, kind(path))))
        {
            Some((body, kind)) => Response { status: "200 OK", kind, body },
            None => refused("404 Not Found", "no such file\n"),
        }
    }
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("bin") => "application/octet-stream",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("json") => "application/json",
        Some("txt") => TEXT,
        _ => "text/html; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "Host: 127.0.0.1:4242\r\n";

    fn site() -> Site {
        let file = ServedFile { name: "walk.bvh".into(), bytes: b"HIERARCHY".to_vec() };
        Site { port: 4242, file: Some(file), is_embedded: false }
    }

    fn status(line: &str, headers: &str) -> String {
        site().respond(&format!("{line}\r\n{headers}")).status[..3].into()
    }

    #[test]
    fn local_frames_are_allowed_on_request() {
        assert!(site().headers().contains("frame-ancestors 'none'\r\nX-Frame-Options: DENY\r\n"));
        let embedded = Site { is_embedded: true, ..site() }.headers();
        assert!(
            embedded.contains("frame-ancestors http://localhost:*") && !embedded.contains("DENY"),
            "{embedded}"
        );
        assert!(embedded.contains("default-src 'none'") && embedded.ends_with("\r\n"));
    }

    #[test]
    fn the_named_file_is_served_and_no_other() {
        let site = site();
        let head = format!("GET /given/walk.bvh HTTP/1.1\r\n{OWN}");
        let got = site.respond(&head);
        assert_eq!((got.status, got.body), ("200 OK", &b"HIERARCHY"[..]));
        for path in [
            "/given/other.bvh",
            "/given/../walk.bvh",
            "/given/",
            "/../Cargo.toml",
            "/..%2fCargo.toml",
            "//etc/passwd",
            "/etc/passwd",
            "/index.html/..",
            "/%00",
        ] {
            assert_eq!(status(&format!("GET {path} HTTP/1.1"), OWN), "404", "{path}");
        }
        assert_eq!(status("GET given/walk.bvh HTTP/1.1", OWN), "400");
        assert_eq!(status("GET http://127.0.0.1:4242/given/walk.bvh HTTP/1.1", OWN), "400");
    }

    #[test]
    fn other_hosts_methods_and_nonsense_are_refused() {
        let get = "GET /given/walk.bvh HTTP/1.1";
        assert_eq!(status(get, "HOST: localhost:4242\r\n"), "200");
        for hosts in [
            "",
            "Host: evil.example\r\n",
            "Host: evil.example:4242\r\n",
            "Host: 127.0.0.1\r\n",
            "Host: 127.0.0.1:80\r\n",
            "Host: 127.0.0.1:4242.evil.example\r\n",
            "Host: 127.0.0.1:4242\r\nHost: evil.example\r\n",
        ] {
            assert_eq!(status(get, hosts), "403", "{hosts:?}");
        }
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "get"] {
            assert_eq!(status(&format!("{method} /given/walk.bvh HTTP/1.1"), OWN), "405", "{method}");
        }
        assert_eq!(status("HEAD /given/walk.bvh HTTP/1.1", OWN), "200");
        for line in ["", "GET", "GET /", "GET / HTTP/1.1 x", "\u{1}\u{2}"] {
            assert_eq!(status(line, OWN), "400", "{line:?}");
        }
        assert_eq!(status("GET / HTTP/2", OWN), "505");
    }
}
