# make run      builds and does the main job on an embedded figure
# make test     installs what the tests need and runs all of them
# make bench    times Pinocchio, MuJoCo and us on the same figures in one run
# make examples builds and runs the examples; each checks what it claims
# make soak     an hour of mixed use by script, watched (MINUTES=60); a short one ends make test
# make web      builds the page of the studio into web/dist
# make studio   builds page and program, and opens the studio
# make book     makes a site of docs/ in target/book (it needs mdbook)
.PHONY: run test tests builds examples bench soak web studio book fmt

# with the features that crates have in the whole workspace, so that no command builds them once more
PROGRAM := cargo build --release --workspace --bin anthropi

run:
	$(PROGRAM)
	@echo "== anthropi-42 falls =="
	target/release/anthropi simulate anthropi-42 --duration 1
	@echo "== a gymnast lets go of the high bar =="
	target/release/anthropi simulate high-bar --out target/run
	@echo "== could a person walk so? =="
	target/release/anthropi certify keyed-walk --report target/run/walk.html
	@echo "== the nearest walk that physics allows =="
	target/release/anthropi filter keyed-walk --out target/run/walk.bvh --report target/run/filter.html
	@echo "== a walk from a word =="
	target/release/anthropi walk --style happily --out target/run/happily.bvh --report target/run/happily.html
	@echo "pictures: target/run/frames.svg, energy.svg, forces.svg"
	@echo "pages, to open in a browser: target/run/filter.html (before and after), target/run/walk.html (certificate), target/run/happily.html (gait)"

test:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	cargo test --workspace --no-run --quiet
	@$(MAKE) --no-print-directory --jobs=2 tests builds
	crates/cli/licences.py --check
	oracle/run.sh target/release/anthropi
	web/test.sh
	docs/test.sh
	crates/py/test.sh
	python3 soak/test_processes.py && soak/soak.py --minutes 2 --only scenes,batch,commands

# two halves of make test that keep one core busy each; the compilers of the second are no part of the first's job server
tests: export MAKEFLAGS =
tests:
	ANTHROPI_FUZZ_SECONDS=60 cargo test --workspace --quiet
	cargo test --workspace --bench '*' --quiet
	@$(call run_examples,debug)

# the page first, which the program has in it; web/test.sh says it again where it cannot be built
builds: export MAKEFLAGS =
builds:
	-web/build.sh
	$(PROGRAM) --bin soak-scenes --quiet
	oracle/wasm.sh
	bench/guard.sh
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

EXAMPLES := $(wildcard crates/dynamics/examples/*.rs crates/motion/examples/*.rs crates/io/examples/*.rs)
run_examples = for e in $(notdir $(EXAMPLES:.rs=)); do echo "== $$e =="; "$${CARGO_TARGET_DIR:-target}/$(1)/examples/$$e" || exit 1; done

examples:
	cargo build --release --quiet --examples -p anthropi-dynamics -p anthropi-motion -p anthropi-io
	@$(call run_examples,release)

bench:
	python3 bench/peers/run.py --batch

MINUTES ?= 60

# parts whose tools cannot be built are skipped, and told
soak:
	-web/build.sh
	-crates/py/test.sh --collect-only --quiet
	$(PROGRAM) --quiet
	cargo build --release --quiet --workspace --bin soak-scenes
	soak/soak.py --minutes $(MINUTES)

web:
	web/build.sh

studio: web
	$(PROGRAM)
	target/release/anthropi studio

book:
	mdbook build

fmt:
	cargo fmt --all
