# SPDX-License-Identifier: MIT
# The front door. Meson does the work; see tools/README.md for the scripts.
PREFIX = /usr/local
DESTDIR =
RELEASE = build/release
SAN = build/san

all: $(RELEASE)/build.ninja
	meson compile -C $(RELEASE)
	@if [ -e $(RELEASE)/src/proc/crisol ]; then ln -sfn release/src/proc/crisol build/crisol; fi

# Configured once, and again when set-up brought other dependencies or a folder joined.
SETUP = $(wildcard build/deps/npm/stamp build/deps/yyjson/pins src/*/meson.build tests/*/meson.build)
configure = meson setup $(if $(wildcard $@),--reconfigure) $(@D)

$(RELEASE)/build.ninja: $(SETUP)
	@tools/setup --check --for demo
	$(configure) --prefix /usr/local

$(SAN)/build.ninja: $(SETUP)
	$(configure) -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1

build-san: $(SAN)/build.ninja
	meson compile -C $(SAN)

setup-demo setup-check setup-bench setup-lint:
	@tools/setup --for $(subst setup-,,$@)

demo: setup-demo
	@$(MAKE) --no-print-directory all
	@tools/demo

check: setup-check
	@tools/check

check-fresh:
	@tools/check-fresh

bench: setup-bench
	@$(MAKE) --no-print-directory all
	@tools/bench

lint: setup-lint
	@tools/lint

format: setup-lint
	@tools/lint --fix format

install: setup-demo
	@$(MAKE) --no-print-directory all
	tools/install $(RELEASE) "$(DESTDIR)" "$(PREFIX)"

uninstall:
	tools/install --remove "$(DESTDIR)" "$(PREFIX)"

clean:
	rm -rf $(RELEASE) $(SAN) build/lint build/analyzer build/crisol

distclean:
	rm -rf build

.PHONY: all build-san setup-demo setup-check setup-bench setup-lint demo check check-fresh bench lint format install uninstall clean distclean
