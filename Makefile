# make run      build the program and run a demo on built-in figures and motions
# make test     format, lints, and the tests of every crate, the command line, the browser page and Python
# make test-all make test and the long rest: long fuzzing, WebAssembly bits, instruction counts, other engines, the book, soak
# make bench    time Pinocchio, MuJoCo and Anthropi on the same figures in one run
# make examples build and run the examples; each asserts its claim
# make soak     run an hour of scripted mixed use (MINUTES=60)
# make web      build the studio page into web/dist
# make studio   build page and program, and open the studio
# make book     build the book into target/book (needs mdbook)
.PHONY: run test test-all test-rust test-front test-release test-long examples bench soak web studio book fmt

# all workspace features at once, so that no command compiles the crates a second time
PROGRAM := cargo build --release --workspace --bin anthropi

run:
	$(PROGRAM)
	@echo "== anthropi-42 falls =="
	target/release/anthropi simulate anthropi-42 --duration 1
	@echo "== a gymnast lets go of the high bar =="
	target/release/anthropi simulate high-bar --out target/run
	@echo "== is a keyframed walk physically plausible? =="
	target/release/anthropi certify keyed-walk --report target/run/walk.html
	@echo "== the nearest physically consistent walk =="
	target/release/anthropi filter keyed-walk --out target/run/walk.bvh --report target/run/filter.html
	@echo "== a walk generated from a style word =="
	target/release/anthropi walk --style happily --out target/run/happily.bvh --report target/run/happily.html
	@echo "pictures: target/run/frames.svg, energy.svg, forces.svg"
	@echo "pages for a browser: target/run/filter.html (before and after), target/run/walk.html (certificate), target/run/happily.html (gait)"

# skipped tests append their reasons to this file; both tiers print it at the end
export ANTHROPI_SKIPS := $(abspath $(or $(CARGO_TARGET_DIR),target))/skipped.txt
begin = @mkdir -p $(dir $(ANTHROPI_SKIPS)) && : >$(ANTHROPI_SKIPS)
end = @if [ -s $(ANTHROPI_SKIPS) ]; then echo "skipped:"; sort -u $(ANTHROPI_SKIPS); else echo "no test was skipped"; fi

test:
	$(begin)
	cargo fmt --all --check
	@$(MAKE) --no-print-directory --jobs=2 test-rust test-front
	$(end)

# two halves of make test, a core each; cargo inside them does not share make's job server
test-rust: export MAKEFLAGS =
test-rust:
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	cargo test --workspace --no-run --quiet
	ANTHROPI_FUZZ_SECONDS=2 cargo test --workspace --quiet
	@$(call run_examples,debug)

# native programs in the profile that the tests have compiled already
test-front: export MAKEFLAGS =
test-front: export PROFILE = dev
test-front:
	web/test.sh
	crates/py/test.sh

test-all: test
	$(begin)
	$(PROGRAM) --bin soak-scenes --bin native-digest --bin guard --quiet
	@$(MAKE) --no-print-directory --jobs=2 test-release test-long
	docs/test.sh
	$(end)

test-release: export MAKEFLAGS =
test-release:
	web/test.sh long
	oracle/wasm.sh
	bench/guard.sh
	oracle/run.sh target/release/anthropi
	crates/py/test.sh crates/py/tests/test_speed.py
	crates/cli/licences.py --check
	python3 soak/test_processes.py && soak/soak.py --minutes 2 --only scenes,batch,commands

test-long: export MAKEFLAGS =
test-long:
	ANTHROPI_FUZZ_SECONDS=60 cargo test --workspace --quiet fuzz
	cargo test --workspace --bench '*' --quiet
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

EXAMPLES := $(wildcard crates/dynamics/examples/*.rs crates/motion/examples/*.rs crates/app/examples/*.rs)
run_examples = for e in $(notdir $(EXAMPLES:.rs=)); do echo "== $$e =="; "$${CARGO_TARGET_DIR:-target}/$(1)/examples/$$e" || exit 1; done

examples:
	cargo build --release --quiet --examples -p anthropi-dynamics -p anthropi-motion -p anthropi-app
	@$(call run_examples,release)

bench:
	python3 bench/peers/run.py --batch

MINUTES ?= 60

# skips parts whose tools cannot be built, and reports them
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
