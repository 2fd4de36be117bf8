# Every target is one command with a line of help; `make help` prints them. `make run` needs cargo only.
# PROFILE is the cargo profile of tests and checks: optimised, with overflow checks and assertions on.
PROFILE := checked
BIN := target/$(PROFILE)/quadlock
# `make test` builds everything once, with the tests; BUILT says so, and spares the others a build with other features of the dependencies.
BUILD := $(if $(BUILT),@true,cargo build --profile $(PROFILE))
# First seed of everything random: fixed, so that no run fails by chance; the night has others.
SEED := 1
# All processes of one run share the designs that they compile. `make test` and `make smoke` begin with an empty folder.
export QUADLOCK_CACHE := $(CURDIR)/target/quadlock-cache

# Whatever is built in the profile of the checks is compiled by scripts/checked-rustc: lints with the code, tests without optimisation.
# Cargo keeps what plain rustc built apart, so a command by hand builds the workspace's crates again.
CHECKED := first-build smoke test night build unit nextest doctest smoke-build house changed-blocks smoke-faults smoke-runs examples-check findings findings-long \
	float-check gate gate-few fuzz fuzz-beside fuzz-inputs fuzz-shaders crosscheck crosscheck-quick lint-rtl lint-missing lint-check formal figures area fpga pictures \
	image-check image-check-small image-check-full random-verilog-long
$(CHECKED): export RUSTC_WORKSPACE_WRAPPER := $(CURDIR)/scripts/checked-rustc
$(CHECKED): export CLIPPY_ARGS := -D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__

.PHONY: help run first-build examples smoke test night times tools fmt clippy build unit nextest doctest fuzz fuzz-long random-verilog-long lint-rtl formal crosscheck crosscheck-quick export docs bench clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | awk -F'|' '{printf "  make %-19s %s\n", $$1, $$2}'

run: ## Build, then run the edge filter on a photograph: RTL and golden model in lockstep (cargo only)
	@echo "Building quadlock without optimisation (the first time about 2 minutes on two cores), then running a job for 8 s."
	cargo run --profile quick --no-default-features --bin quadlock -- run examples/edge-detect/job.toml --fst out/edge-detect/edge-detect.fst --to 3000

examples: ## All examples with claims, scenes too, in lockstep at full size, each with its verdict (one is a deadlock)
	cargo build --release --bin quadlock
	target/release/quadlock regress --whole --out out/examples examples

first-build: ## The build of `make run`, which has fewer features, with warnings as errors
	cargo check --profile quick --no-default-features --bin quadlock

smoke: ## What a change of one line can break, in 2 minutes after the build (docs/regression.md)
	scripts/steps.py smoke

test: tools ## Install the peers, then run every check of the day; what continuous integration runs
	scripts/steps.py test

night: $(if $(filter list,$(PART)),,tools) ## Checks too long for every change, the stalest part first; PART=NAME for one, PART=list, HOURS=2 for stale ones
	scripts/night.py $(if $(PART),--part $(PART)) $(if $(filter command,$(origin SEED)),--seed $(SEED)) $(if $(HOURS),--hours $(HOURS))

times: ## Measure every step of `make test` from a clean clone: docs/times.json and its table in docs/regression.md
	scripts/times.py

SCENES := $(foreach s,teapot depth-complexity foliage particles outline msaa sample-rate derivatives mesh gltf uber,examples/$(s)/scene.toml) \
	$(foreach s,inside few-stones layers sheet,examples/hidden/$(s).toml) examples/gltf/forms.toml
.PHONY: image-check image-check-small image-check-full
image-check: image-check-full image-check-small ## The scenes beside Mesa's lavapipe, small and in full, at 1 and 4 samples

image-check-small: ## The same, small
	$(BUILD) --bin quadlock
	.tools/bin/python scripts/image-check --quadlock $(BIN) --small $(SCENES)

image-check-full: ## The same, in full
	$(BUILD) --bin quadlock
	.tools/bin/python scripts/image-check --quadlock $(BIN) $(SCENES)

tools: ## Install nextest and the peers of the tests (Verilator, yosys, readelf, ...) if they are missing
	scripts/install-tools.sh

fmt: ## Formatting, without changing anything
	cargo fmt --all --check

.PHONY: reflow
reflow: ## Rewrap lines of comments and pages that are too long (docs and Rust; it checks that no word changes)
	scripts/reflow.py .

clippy: ## Lints alone, warnings are errors; every other check has them with its build
	cargo clippy --workspace --all-targets --profile $(PROFILE) -- -D warnings

.PHONY: deny advisories
deny: ## Licences, sources and second versions of the crates (deny.toml)
	.tools/bin/cargo-deny check licenses bans sources

advisories: ## Known holes of the crates, by the RustSec database (needs a network)
	.tools/bin/cargo-deny check advisories

.PHONY: compile-times
compile-times: ## Processor time by crate of a release and of `make run`'s build, from nothing: docs/compile-time.md
	scripts/compile-times.py build --release --bin quadlock
	scripts/compile-times.py build --profile quick --no-default-features --bin quadlock

build: ## Compile everything with its tests; lints, warnings are errors
	cargo nextest run --workspace --cargo-profile $(PROFILE) --no-run

unit: nextest doctest ## Unit, property, cross-check and must-fail tests, and the examples in comments

nextest: ## The tests but for those of the night (.config/nextest.toml)
	QUADLOCK_REQUIRE_PEERS=1 cargo nextest run --workspace --cargo-profile $(PROFILE)

doctest: ## The examples in comments
	cargo test --workspace --doc --profile $(PROFILE)

# With all crates, so that dependencies are those of `make test`.
HOUSE := cargo nextest run --workspace --cargo-profile $(PROFILE) --test pages --test house
.PHONY: smoke-build house changed-blocks smoke-faults smoke-runs
smoke-build:
	$(HOUSE) --no-run

house: ## Tests of pages, and of the floors of crates
	$(HOUSE)

changed-blocks: ## List the blocks whose exported text differs from that of lint/blocks
	$(BUILD) --bin quadlock
	EXPORTER=$(BIN) scripts/lint-rtl.sh --changed

# An example, and a planted fault that its small run must find.
PLANTED := mandelbrot=rtl:branch-mask reduction=model:wide-every-lane mandelbrot=compiler:dce-drops-store
smoke-faults: ## A planted fault of each kind, in RTL, model and compiler: found, or this fails
	$(BUILD) --bin quadlock
	@mkdir -p out/smoke; for planted in $(PLANTED); do \
	    job=examples/$${planted%%=*}/job.toml; fault=$${planted#*=}; status=0; \
	    $(BIN) run $$job --small --set fault=$$fault --out out/smoke/fault >out/smoke/fault.txt 2>&1 || status=$$?; \
	    if [ $$status != 1 ]; then cat out/smoke/fault.txt; echo "$$fault is not found by $$job: exit status $$status, not 1"; exit 1; fi; \
	    echo "$$fault: found by $$job"; \
	done

# The jobs are those of PLANTED: without a fault they pass, so it is the fault that is found.
smoke-runs: ## Two jobs, a scene and 20 random programs in lockstep
	$(BUILD) --bin quadlock
	$(BIN) run examples/mandelbrot/job.toml --small --out out/smoke/mandelbrot
	$(BIN) run examples/reduction/job.toml --small --out out/smoke/reduction
	$(BIN) run examples/teapot/scene.toml --small --out out/smoke/teapot
	$(BIN) fuzz --programs 20 --seed $(SEED) --machines 2

.PHONY: examples-check
examples-check: ## The examples in lockstep and on the golden model alone, against independent results
	$(BUILD) -p quadlock --example example_data
	target/$(PROFILE)/examples/example_data --check
	scripts/make-gltf.py --check
	scripts/make-frames.py --check
	scripts/figures.py --check
	scripts/gate.py --check
	$(BUILD) --bin quadlock
	$(BIN) regress examples cosim/harness/jobs --report out/check/claims.json

.PHONY: findings findings-long
findings: ## Inputs on which Quadlock was once wrong, each with its right outcome (cosim/harness/findings)
	$(BUILD) --bin quadlock
	.tools/bin/python scripts/findings.py --quadlock $(BIN)

findings-long: ## The same with those that take minutes
	$(BUILD) --bin quadlock
	.tools/bin/python scripts/findings.py --quadlock $(BIN) --long

.PHONY: float-check test-float float-exhaustive
float-check: ## Every float operation against an independent oracle, RTL and golden model, level 1 (docs/float-check.md)
	$(BUILD) --bin quadlock
	$(BIN) float-check --json out/float-check.json

test-float: ## The same at level 2, with every operand of the reduced ranges and 10 million random ones on the RTL (an hour)
	cargo build --release --bin quadlock
	target/release/quadlock float-check --level 2 --json out/float-check-2.json

EXACT_ONES := FFRACT,F2I,F2U,I2F,U2F,FFLOOR,FCEIL,FTRUNC,FRNE,PK.F16,UPK.F16,F2UN.8,F2UN.16,F2SN.8,F2SN.16,UN2F.8,UN2F.16,SN2F.8,SN2F.16,FSQRT
float-exhaustive: ## All 2^32 operands of the float operations that have one, on the golden model; goes on where it was interrupted
	mkdir -p out
	cargo run --release --bin quadlock -- float-check --every-operand --engine golden --op $(EXACT_ONES) --state out/float-check-state.json
	cargo run --release -p quadlock-golden --example float_exhaustive -- --inputs all --state out/float-exhaustive.json

# Random programs share this many machines: to compile one takes longer than to run it. At night each has its own.
MACHINES := 12
# A machine with graphics takes longer still, and each kind of scene has machines of its own.
GRAPHICS_MACHINES := 6
fuzz: ## 300 random programs, 60 in three starts each, 600 full of atomics, 200 random dependency graphs, 50 scenes, 8 in three starts each, 25 on machines that merge, 25 on machines that split, 25 on machines that hide, 8 frames of many draws and 50 pairs of programs linked, in lockstep under random memory timing, on few machines
	$(BUILD) --bin quadlock
	$(BIN) fuzz --programs 300 --seed $(SEED) --machines $(MACHINES)
	$(BIN) fuzz --programs 60 --seed $(SEED) --machines $(MACHINES) --starts 3
	$(BIN) fuzz --graphs 200 --seed $(SEED) --machines $(MACHINES)
	$(BIN) fuzz --atomics 600 --seed $(SEED) --machines $(MACHINES)
	$(BIN) fuzz --scenes 50 --seed $(SEED) --machines $(GRAPHICS_MACHINES)
	$(BIN) fuzz --scenes 8 --seed $(SEED) --machines 4 --starts 3
	$(BIN) fuzz --merges 25 --seed $(SEED) --machines $(GRAPHICS_MACHINES)
	$(BIN) fuzz --splits 25 --seed $(SEED) --machines $(GRAPHICS_MACHINES)
	$(BIN) fuzz --hides 25 --seed $(SEED) --machines $(GRAPHICS_MACHINES)
	$(BIN) fuzz --frames 8 --seed $(SEED) --machines 4
	$(BIN) fuzz --links 50 --seed $(SEED)

# As many as cost a minute of processor time.
.PHONY: fuzz-beside
fuzz-beside: ## 300 random scenes on the golden model beside Mesa's lavapipe, with an exact arbiter (docs/beside.md)
	$(BUILD) --workspace --bins
	$(BIN) fuzz --scenes 300 --seed $(SEED) --beside lavapipe --report out/fuzz-beside.json

.PHONY: fuzz-inputs
fuzz-inputs: ## 5,000 mutated shaders and 5,000 mutated jobs: an error or a program, never a panic
	QUADLOCK_MUTATIONS=5000 cargo nextest run -p quadlock --cargo-profile $(PROFILE) --test bad_input mutated

.PHONY: fuzz-shaders
fuzz-shaders: ## 100,000 changed shaders of the folder SHADERS (public ones: scripts/shader-corpora.py): an error or a program in time, never a panic
	cargo build --profile $(PROFILE) --bin quadlock
	$(BIN) shader-check $(or $(SHADERS),examples) --mutate 100000 --seed 1

fuzz-long: ## 5,000 random programs, 12,000 full of atomics (2,000 per combination of options), 1,000 random dependency graphs, 1,000 scenes and 5,000 pairs of programs linked, the figures of docs/verification.md
	cargo build --release --bin quadlock
	target/release/quadlock fuzz --programs 5000 --seed 1
	target/release/quadlock fuzz --graphs 1000 --seed 1
	target/release/quadlock fuzz --atomics 12000 --seed 1
	target/release/quadlock fuzz --scenes 1000 --seed 1
	target/release/quadlock fuzz --links 5000 --seed 1

.PHONY: fuzz-options
fuzz-options: ## 1,000 random scenes with each set of options of merging, splitting and hiding (hours; docs/regression.md)
	cargo build --release --bin quadlock
	target/release/quadlock fuzz --merges 1000 --options all --seed 1
	target/release/quadlock fuzz --splits 1000 --options all --seed 1
	target/release/quadlock fuzz --hides 1000 --options all --seed 1

random-verilog-long: ## 5,000 random Verilog modules on rtlsim, Verilator and Icarus (hours)
	cargo build --profile $(PROFILE) -p quadlock-rtlsim --example random_verilog
	target/$(PROFILE)/examples/random_verilog --modules 5000 --seed 10000 --batch 100

crosscheck: ## Every block and the whole core on all engines: rtlsim, interpreter, rust-hdl, Verilator, Icarus (hours)
	$(BUILD) --bin quadlock
	QUADLOCK_REQUIRE_PEERS=1 $(BIN) crosscheck

crosscheck-quick: ## The same, sized for every day: 300 cycles of each block, 40,000 of the core on jobs; Verilator on a tenth of the blocks
	$(BUILD) --bin quadlock
	QUADLOCK_REQUIRE_PEERS=1 $(BIN) crosscheck --quick --verilator-sample 10 --seed $(SEED)

lint-rtl: ## Exported Verilog: verilator --lint-only -Wall, yosys synth_ecp5 and synth_ice40 without latches or loops; writes lint/hashes
	$(BUILD) -p quadlock-hdl --example export
	scripts/lint-rtl.sh

.PHONY: lint-missing
lint-missing: ## The same for what lint/hashes does not know yet; it notes what has passed
	$(BUILD) -p quadlock-hdl --example export
	scripts/lint-rtl.sh --missing

.PHONY: lint-check
lint-check: ## The same, without what lint/hashes says has passed with this text and tool
	$(BUILD) -p quadlock-hdl --example export
	scripts/lint-rtl.sh --known

formal: ## Semaphore entity, waiting room and message bus proved on their Verilog, with covers and planted bugs (docs/formal.md; ONLY=entity/fifo for one)
	scripts/install-formal.sh
	cargo build --quiet --profile $(PROFILE) -p quadlock-hdl --example export
	PROFILE=$(PROFILE) .venv/bin/python formal/prove.py $(if $(ONLY),--only $(ONLY))

.PHONY: figures
figures: ## Cycles, transactions and polling of the examples: docs/figures.md
	$(BUILD) --bin quadlock
	scripts/figures.py --quadlock $(BIN)

.PHONY: gate gate-few
gate: ## Each mechanism on against off on the frames of examples/frames, over cores and memory timing: what loses is in docs/limits.md
	$(BUILD) --bin quadlock
	scripts/gate.py --quadlock $(BIN)

gate-few: ## The same on three frames with one core and one seed
	$(BUILD) --bin quadlock
	scripts/gate.py --quadlock $(BIN) --few

.PHONY: area
area: ## Area of every block and machine, hierarchy kept and flattened: docs/area.md (an hour of processor time; goes on where it was interrupted)
	$(BUILD) --bin quadlock
	scripts/area.py --quadlock $(BIN)

.PHONY: fpga
CONFIG := small
fpga: ## Export a preset, synthesise it for an ECP5-85, place and route it: CONFIG=small (docs/presets.md)
	scripts/install-fpga.sh
	$(BUILD) --bin quadlock
	scripts/fpga.py --quadlock $(BIN) $(CONFIG)

export: ## The whole core as Verilog in out/rtl: one file per module, file list, manifest
	cargo run --release --bin quadlock -- export --out out/rtl

docs: ## Regenerate docs/isa.md, formal/records.svh, sections of pages that list what the code knows, the examples' data and the drawings in docs/pictures
	cargo run -p quadlock-isa --example isa_doc > docs/isa.md
	cargo run -p quadlock-isa --example records_verilog > formal/records.svh
	cargo run -p quadlock --example pages
	scripts/draw.py
	cargo run -p quadlock --example example_data

.PHONY: pictures
pictures: ## The pictures of waves in docs, from fresh runs, in GTKWave on a virtual screen (gtkwave, xvfb, imagemagick), and traces/
	$(BUILD) --bin quadlock
	scripts/pictures.sh $(BIN)

bench: ## Speed of the simulator beside Verilator and rust-hdl's engine, of the float operations, of the golden model alone (docs/bench.md)
	cargo run --release --bin quadlock -- bench sim --json out/bench.json
	cargo run --release --bin quadlock -- bench float --json out/bench-float.json
	cargo run --release -p quadlock-golden --example speed

clean: ## Remove everything that was built
	cargo clean
	rm -rf out
