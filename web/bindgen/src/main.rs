//! Writes the JavaScript side of a WebAssembly file: `anthropi-bindgen IN.wasm OUT_FOLDER`.
//!
//! The same as the command `wasm-bindgen --target web`, without installing it.

use std::path::Path;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, out] = arguments.as_slice() else {
        anyhow::bail!("expected: anthropi-bindgen IN.wasm OUT_FOLDER");
    };
    Bindgen::new()
        .input_path(Path::new(input))
        .web(true)?
        .typescript(true)
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(out)
}
