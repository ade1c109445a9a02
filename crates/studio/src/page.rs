//! The session for JavaScript. All values are JSON texts; errors are sentences for people.
#![allow(unsafe_code)] // wasm-bindgen writes it

use crate::{Command, Session, library, stage};
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

#[wasm_bindgen]
impl Engine {
    /// Opens something of the library.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str) -> Result<Engine, JsError> {
        Ok(Engine { session: told(library::open(name))? })
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

    /// All of it as a file.
    pub fn replay(&self) -> String {
        self.session.replay().write()
    }
}
