//! Prints the digests of the native program, one per line.

fn main() {
    for i in 0..anthropi_wasm_digest::count() {
        println!("{:016x}", anthropi_wasm_digest::digest(i));
    }
}
