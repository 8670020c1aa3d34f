# The front door. Each target works as the first command in a fresh clone; see README.md.
#   make            build the library and the tool; the tool is build/tessera
#   make demo       the main job on generated data
#   make test       the test suite, core and Python
#   make test-all   what is slower or larger besides; a test that is skipped there has failed
#   make check      slower: format, layers, sizes, clang, sanitizers, valgrind
#   make bench      measure beside the peers (Debian packages are installed for it)
#   make install    PREFIX=/usr/local DESTDIR=
PREFIX ?= /usr/local
JOBS   := $(shell nproc)

all: build

setup:
	@tools/setup build

setup-%:
	@tools/setup $*

build: setup
	@[ -f build/build.ninja ] || cmake --preset release
	@cmake --build build -j $(JOBS)

demo: build
	@tools/demo build

tests: build setup-test
	@cmake --build build -j $(JOBS) --target tests/all

test: tests
	@cd build && ctest --output-on-failure -j $(JOBS) -LE slow

test-all: tests setup-all
	@tools/test-all build $(JOBS)

# One sanitized, debugged or measured build: make preset-asan-ubsan, preset-clang, ...
preset-%: setup
	@cmake --preset $* && cmake --build build/$* -j $(JOBS) --target all tests/all
	@cd build/$* && TSAN_OPTIONS=ignore_noninstrumented_modules=1 ctest --output-on-failure -j $(JOBS)

format:
	@clang-format -i $$(git ls-files '*.c' '*.h')
	@black -q bindings/python

check: tests
	@clang-format --dry-run --Werror $$(git ls-files '*.c' '*.h') && echo "format: as it should be"
	@tools/check-layers
	@tools/check-sizes
	@tools/check-symbols build
	@$(MAKE) --no-print-directory preset-clang preset-asan-ubsan preset-tsan
	@tools/check-valgrind build

bench: build
	@tools/setup bench
	@bench/run build

install: build
	@DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

clean:
	@rm -rf build

.PHONY: all setup build demo tests test test-all format check bench install clean
