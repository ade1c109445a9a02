//! The session for JavaScript. All values are JSON texts; errors are sentences for people.
#![allow(unsafe_code)] // wasm-bindgen writes it

use crate::{Command, Session, file, library, stage};
use wasm_bindgen::prelude::*;

/// An engine with one session.
#[wasm_bindgen]
pub struct Engine {
    session: Session,
}

fn told<T>(result: Result<T, crate::Error>) -> Result<T, JsError> {
    result.map_err(|error| JsError::new(&error.0))
}

/// What can be opened.
#[wasm_bindgen]
pub fn items() -> String {
    serde_json::to_string(&library::items()).unwrap_or_default()
}

/// Files by name.
#[wasm_bindgen]
#[derive(Default)]
pub struct Shelf {
    files: Vec<(String, Vec<u8>)>,
}

#[wasm_bindgen]
impl Shelf {
    /// An empty one.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Shelf {
        Shelf::default()
    }

    /// Puts a file on it.
    pub fn put(&mut self, name: String, bytes: Vec<u8>) {
        self.files.push((name, bytes));
    }
}

#[wasm_bindgen]
impl Engine {
    /// Opens something of the library.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str) -> Result<Engine, JsError> {
        Ok(Engine { session: told(library::open(name))? })
    }

    /// Opens files that were dropped; their names and bytes are on the shelf.
    pub fn from_files(shelf: Shelf) -> Result<Engine, JsError> {
        Ok(Engine { session: told(file::open_files(shelf.files))? })
    }

    /// What changes only with the structure.
    pub fn structure(&self) -> String {
        stage::structure(&self.session).to_string()
    }

    /// What changes with every step.
    pub fn frame(&mut self) -> String {
        stage::frame(&mut self.session).to_string()
    }

    /// Does something.
    pub fn obey(&mut self, command: &str) -> Result<(), JsError> {
        let command: Command = told(serde_json::from_str(command).map_err(Into::into))?;
        told(self.session.obey(command))
    }

    /// Makes steps.
    pub fn advance(&mut self, steps: u32) -> Result<(), JsError> {
        told(self.session.advance(u64::from(steps)))
    }

    /// Goes back to a step.
    pub fn rewind(&mut self, step: u32) -> Result<(), JsError> {
        told(self.session.rewind(u64::from(step)))
    }

    /// Undoes the last edit.
    pub fn undo(&mut self) -> Result<(), JsError> {
        told(self.session.undo())
    }

    /// Bytes of a file of what has been seen: `bvh`, `json`, `csv` or `glb`.
    pub fn export(&self, ending: &str) -> Result<Vec<u8>, JsError> {
        told(self.session.export(ending)).map(|(_, bytes)| bytes)
    }

    /// What the forces of the whole motion, filtered, prove.
    pub fn certificate(&self) -> Result<String, JsError> {
        told(self.session.certificate()).map(|value| value.to_string())
    }

    /// All of it as a file.
    pub fn replay(&self) -> String {
        self.session.replay().write()
    }
}
