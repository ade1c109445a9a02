//! Puts the built page of the studio into the program, where it is there: `make web` builds it.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist");
    println!("cargo::rerun-if-changed=build.rs");
    // cargo runs this anew at every turn when a path is not there; the folder above tells when the page appears
    let watched = if folder.is_dir() { &folder } else { folder.parent().expect("web/dist has one") };
    println!("cargo::rerun-if-changed={}", watched.display());
    let mut files = Vec::new();
    find(&folder, &mut files);
    files.sort();
    let mut text = String::from("&[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&folder).expect("found below it").to_string_lossy().replace('\\', "/");
        let path = file.canonicalize().expect("just found");
        let _ = writeln!(text, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
    }
    text.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo")).join("page.rs");
    fs::write(out, text).expect("the folder is cargo's own");
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
