//! Embeds the built studio page (`web/dist`, from `make web`) into the program, if there is one.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    // at run time: a compiled build script may be shared by several clones of the repository
    let crate_folder = env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo");
    let web = Path::new(&crate_folder).join("../../web").canonicalize().expect("the page's sources");
    let dist = web.join("dist");
    println!("cargo::rerun-if-changed=build.rs");
    // a missing path would make cargo rerun this every time; the parent changes when the page appears
    println!("cargo::rerun-if-changed={}", if dist.is_dir() { &dist } else { &web }.display());
    let mut files = Vec::new();
    find(&dist, &mut files);
    files.sort();
    let mut text = String::from("&[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&dist).expect("a file below").to_string_lossy().replace('\\', "/");
        let _ = writeln!(text, "    ({name:?}, include_bytes!({:?})),", file.display().to_string());
    }
    text.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo")).join("page.rs");
    fs::write(out, text).expect("a writable OUT_DIR");
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            find(&path, files);
        } else {
            files.push(path);
        }
    }
}
