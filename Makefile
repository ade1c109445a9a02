# make run    builds and does the main job on an embedded figure
# make test   installs what the tests need and runs all of them
# make bench  times Pinocchio, MuJoCo and us on the same figures in one run
.PHONY: run test bench fmt

run:
	cargo run --release --quiet -p anthropi -- simulate anthropi-42 --duration 1

test:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	cargo test --workspace --quiet
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

bench:
	cargo build --release -p anthropi-bench
	python3 bench/peers/run.py

fmt:
	cargo fmt --all
