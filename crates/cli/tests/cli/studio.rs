//! The studio: replays, and its server towards browsers and other clients.

use crate::room::{Room, number};
use anthropi_studio::{Command as Do, library};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

#[test]
fn a_replay_is_repeated_and_differences_are_reported() {
    let room = Room::new("studio_replay");
    let mut session = library::open("high-bar").unwrap();
    session.advance(100).unwrap();
    let drag = Do::Drag { link: "pelvis".into(), at: [0.0; 3], to: [0.3, 0.1, 1.0] };
    session.apply(drag).unwrap();
    session.advance(200).unwrap();
    let text = session.replay().write();
    room.write("r.json", &text);
    let result = room.json_result("simulate", 0, &["r.json", "--replay"]);
    assert_eq!((result["same"].as_bool(), number(&result, "/steps")), (Some(true), 300.0));
    let digest = session.replay().digest;
    room.write("other.json", text.replace(&digest, "0123456789abcdef"));
    let result = room.json_result("simulate", 1, &["--replay", "other.json"]);
    assert_eq!((result["same"].as_bool(), result["digest"].as_str()), (Some(false), Some(&digest[..])));
    room.write("bad.json", "{\"source\": 3}");
    room.refused(&["simulate", "--replay", "bad.json"], &["bad.json", "line 1"]);
    room.refused(&["simulate", "--replay", "r.json", "--dt", "0.01"], &["--dt", "--replay"]);
    room.write("gone.json", text.replace("high-bar", "low-bar"));
    room.refused(&["simulate", "--replay", "gone.json"], &["gone.json", "low-bar"]);
}

/// A server that ends with the test.
struct Served(Child, u16);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `None` if the program was built without the page.
fn served(room: &Room, file: &str) -> Option<Served> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_anthropi"))
        .args(["studio", file, "--no-open", "--port", "0", "--json"])
        .current_dir(room.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut text = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    // an object over several lines
    while !text.contains('}') && out.read_line(&mut text).unwrap() > 0 {}
    match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(result) => Some(Served(child, number(&result, "/port") as u16)),
        Err(_) => {
            let mut why = String::new();
            child.stderr.take().unwrap().read_to_string(&mut why).unwrap();
            assert_eq!(child.wait().unwrap().code(), Some(2));
            assert!(why.contains("make web"), "{why}");
            None
        }
    }
}

fn send(port: u16, text: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn the_page_is_served_to_this_machine_only() {
    let room = Room::new("studio_server");
    room.write("my clip.bvh", "HIERARCHY");
    let Some(server) = served(&room, "my clip.bvh") else { return };
    let port = server.1;
    let own = format!("Host: 127.0.0.1:{port}\r\n\r\n");
    let page = send(port, &format!("GET / HTTP/1.1\r\n{own}"));
    assert!(page.starts_with("HTTP/1.1 200 OK") && page.contains("<!doctype html>"), "{page}");
    for header in ["Content-Security-Policy: default-src 'none'", "X-Content-Type-Options: nosniff"] {
        assert!(page.contains(header), "{page}");
    }
    assert!(send(port, &format!("GET /given/my_clip.bvh HTTP/1.1\r\n{own}")).ends_with("\r\n\r\nHIERARCHY"));
    let head = send(port, &format!("HEAD / HTTP/1.1\r\n{own}"));
    assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"), "{head}");
    for (request, status) in [
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_string(), "403"),
        (format!("POST / HTTP/1.1\r\n{own}"), "405"),
        (format!("GET /../../Cargo.toml HTTP/1.1\r\n{own}"), "404"),
        (format!("GET / HTTP/1.1\r\nX: {}\r\n{own}", "x".repeat(20_000)), "431"),
        ("\r\n\r\n".to_string(), "400"),
    ] {
        let answer = send(port, &request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request:.60}: {answer:.80}");
    }
    room.refused(&["studio", "not-there.bvh", "--no-open"], &["not-there.bvh"]);
    room.refused(&["studio", ".", "--no-open"], &["is a folder, not a file"]);
}
