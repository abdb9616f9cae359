# Thin front to Meson: `make help` says what there is. BUILD=dir chooses another build folder.
BUILD ?= build
# A prefix that is given counts in a folder that was configured with another, too. It may be relative.
GIVEN := $(filter-out undefined,$(origin PREFIX))
PREFIX ?= /usr/local
override PREFIX := $(abspath $(PREFIX))
.DEFAULT_GOAL := help
.PHONY: help build demo test test-all bench lint fuzz matrix docs sensitivity suite reproduce classes designs validate install dist deb clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the program, at build/weir, and its tests (installs missing Debian packages first)
	@tools/bootstrap.sh build
	@$(if $(GIVEN),test ! -f $(BUILD)/build.ninja || grep -qsF '"$(PREFIX)/share/weir"' $(BUILD)/weir_build.h || \
	  meson configure $(BUILD) -Dprefix=$(PREFIX))
	@tools/build.sh $(BUILD) --prefix=$(PREFIX) $(if $(WEIR_WERROR),-Dwerror=$(WEIR_WERROR))

# Half of a build is tests, which a first look does not need.
demo: export WEIR_TARGETS ?= program
demo: build ## a first run, explained; builds the program alone
	@tools/demo.sh $(BUILD)

test: build ## all tests; ends with 'N passed, N failed'
	@tools/test.sh $(BUILD)

test-all: test ## and again in a build with ASan and UBSan, the engine's with TSan
	@tools/sanitize.sh
	@tools/tsan.sh

bench: build ## speed of the simulator (AGAINST=weir of another build: the ratio)
	@$(if $(AGAINST),bench/against.py $(AGAINST) $(BUILD)/weir,bench/run.sh $(BUILD))

lint: ## format, module order, static analysis, scripts, spelling
	@tools/check.sh lint

fuzz: build ## fuzz the readers under ASan+UBSan (SECONDS=n each)
	@tests/fuzz/run.sh

matrix: ## the same results from gcc and clang, -O0 and -O3
	@tools/matrix.sh

docs: build ## write docs/reference from the declarations
	@$(BUILD)/weir docs docs/reference

sensitivity: build ## docs/reference/sensitivity.md: which guesses of the papers' machines decide (hours)
	@tools/sensitivity.py --weir $(BUILD)/weir

suite: build ## docs/reference/suite.md: what of the original programs the suite's workloads have (half an hour)
	@tools/suite.py measure --weir $(BUILD)/weir
	@tools/suite.py page

reproduce: build ## docs/reproduction.md: the papers' figures (hours; PAPERS='S2 S3'; goes on where it was stopped)
	@tools/reproduce.sh $(BUILD)/weir $(PAPERS)

classes: build ## docs/classes.md: the papers' classes of programs and loads beside weir's (minutes; goes on)
	@tools/classes.py measure --weir $(BUILD)/weir
	@tools/classes.py why --weir $(BUILD)/weir
	@tools/classes.py page

designs: build ## docs/results and the tables of docs/designs-kernels.md: the designs beside a coin (an hour)
	@tools/designs.py run --weir $(BUILD)/weir
	@tools/designs.py why --weir $(BUILD)/weir
	@tools/designs.py tables

validate: build ## docs/validation.md: weir beside a GPU's counters of the workloads (minutes; goes on)
	@tools/validate.py run --weir $(BUILD)/weir --jobs $(or $(JOBS),1)
	@tools/validate.py table

install: build ## to PREFIX (default /usr/local)
	@meson install -C $(BUILD)

dist: ## out/weir-VERSION.tar.xz, the sources of the last commit; CHECK=1 builds and tests them
	@tools/dist.sh $(if $(CHECK),--check)

deb: ## out/weir_VERSION_ARCH.deb from these sources; CHECK=1 installs and runs it in a clean root (as root)
	@tools/deb.sh $(if $(CHECK),--check)

clean: ## delete the build folders
	rm -rf $(BUILD) build-*
