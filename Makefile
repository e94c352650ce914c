GO ?= go
# One static binary: with cgo, the C library of the machine that builds would be linked.
STATIC := CGO_ENABLED=0
DATA ?= $(NBSVM_DATA)
BIN := bin/nbsvm

.PHONY: help build install demo imdb generate test test-modules test-purego test-race test-python python wheels robust test-arm64 lint vet notices vuln cover fuzz bench data compare compare-models wasm site manual image release smoke clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

build: ## build bin/nbsvm
	$(STATIC) $(GO) build -trimpath -o $(BIN) ./cmd/nbsvm

install: ## install nbsvm into Go's bin folder
	$(STATIC) $(GO) install -trimpath ./cmd/nbsvm

demo: ## build, train, evaluate and explain, on the comments in Go's own source tree
	$(STATIC) $(GO) build -trimpath -o $(BIN) ./cmd/nbsvm
	@GO="$(GO)" NBSVM=$(BIN) sh scripts/demo.sh

imdb: build ## train and test on IMDB reviews: make imdb DATA=FOLDER
	@NBSVM=$(BIN) sh scripts/imdb.sh "$(DATA)"

generate: ## write the assembly again, from its generators in internal/kernels/_asm
	$(GO) generate ./internal/kernels

SHORT ?= -short
COVER ?=
# Flags are those of build: tests that build the product find it in the cache. lint vets.
test: ## run the tests; with SHORT= also their long cases, with COVER=-cover they say what statements they reach
	@echo "Testing all packages. It takes minutes; a package says ok when it is done."
	@if [ -n "$(DATA)" ]; then echo "Real corpora: $(DATA)"; else \
		echo "No real corpora: tests that need them are skipped. To have them, make test DATA=FOLDER (or NBSVM_DATA=FOLDER)"; \
		echo "with FOLDER/imdb/train.tsv and the like of label<TAB>text; sh scripts/imdb.sh says how to get the first."; fi
	NBSVM_DATA="$(abspath $(DATA))" $(STATIC) GOFLAGS="$$GOFLAGS -trimpath -vet=off" $(GO) test $(SHORT) $(COVER) -timeout 30m ./...

# Modules of their own, whose dependencies users of the engine don't need.
MODULES := distributed/beam wasm tools/image

test-modules: ## check and test the modules beside the main one
	@for module in $(MODULES); do echo "$$module"; (cd $$module && $(GO) mod tidy -diff && $(GO) vet ./... && \
		$(GO) tool -modfile="$(CURDIR)/tools/go.mod" staticcheck ./... && $(GO) test ./...) || exit 1; done

# Packages with assembly: no other asks for the tag purego, or for a CPU. What they do without
# assembly, the others see in the golden test.
ASSEMBLY := ./internal/kernels

test-purego: ## run the tests of kernels without assembly, and a part of those of models' bytes
	$(GO) test -tags purego -short $(ASSEMBLY)
	$(GO) test -tags purego -timeout 30m -short -run 'TestGolden$$' ./cmd/nbsvm

# Packages that import what goroutines are started and held together with; hashing only shares what it has made.
CONCURRENT = $$($(GO) list -f '{{.ImportPath}} {{join .Imports " "}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... | \
	grep -E ' (sync|sync/atomic|[^ ]*/internal/par)( |$$)' | cut -d ' ' -f 1 | grep -v '/hashing$$')

# Which goroutines run does not depend on what is drawn: properties are tried five times, a fifth of RAPID_CHECKS.
test-race: ## run the tests under the race detector, without real corpora
	NBSVM_DATA= RAPID_CHECKS=25 CGO_ENABLED=1 $(GO) test -race -short -timeout 30m $(CONCURRENT)
	$(GO) test -short -gcflags=-d=checkptr ./hashing ./internal/kernels ./sparse

robust: ## try ten million random rows on kernels; score a million; kill commands 1000 times; stop each 1000 times; let every operation on files fail; truncate what is read 200 times; mutants of each kind of file for ten minutes; 100,000 requests while models are replaced
	$(GO) test -count 1 -timeout 60m -v -run TestRandomRows ./internal/kernels -cases 10000000
	NBSVM_ROWS=1000000 $(GO) test -count 1 -v -run TestManyRows ./cmd/nbsvm
	NBSVM_KILLS=1000 NBSVM_TRUNCATIONS=200 $(GO) test -count 1 -timeout 60m -v -run 'TestCommandsKilled|TestOutDirKilled|TestInputsChange' ./cmd/nbsvm
	NBSVM_STOPS=1000 $(GO) test -count 1 -timeout 60m -v -run TestCommandsStopped ./cmd/nbsvm
	NBSVM_FAULTS=100000 $(GO) test -count 1 -timeout 60m -v -run 'TestFaults$$' ./cmd/nbsvm
	NBSVM_MUTANTS=1000000 NBSVM_MUTANT_TIME=10m $(GO) test -count 1 -timeout 180m -v -run TestMutants ./cmd/nbsvm
	NBSVM_MUTANTS=3000 $(GO) test -count 1 -timeout 60m -v -run TestMutants ./internal/parquetfile
	NBSVM_REQUESTS=100000 $(GO) test -count 1 -timeout 60m -v -run TestReload ./internal/serve
	NBSVM_FAULTS=100 $(GO) test -C distributed/beam -count 1 -timeout 60m -v -run 'TestKilled$$' .

PYTHON ?= /usr/bin/python3
python: ## build the wheels of nbsvm and nbsvm-fasttext, into bin/python; needs a C compiler
	@GO="$(GO)" $(PYTHON) python/build_backend.py bin/python

WHEELS := bin/wheels
# Systems whose wheels can be built here, and the C compilers that it takes (Debian: gcc-aarch64-linux-gnu, gcc-mingw-w64-x86-64).
CROSS := linux/amd64/x86_64-linux-gnu-gcc linux/arm64/aarch64-linux-gnu-gcc windows/amd64/x86_64-w64-mingw32-gcc
wheels: ## build the wheels of Linux and Windows, and nbsvm-fasttext, into bin/wheels, as far as C compilers are here
	@rm -rf $(WHEELS) && mkdir -p $(WHEELS); for target in $(CROSS); do \
		compiler=$${target##*/} && platform=$${target%/*} && export CC=$$compiler GOOS=$${platform%/*} GOARCH=$${platform#*/}; \
		if command -v $$compiler >/dev/null; then GO="$(GO)" $(PYTHON) python/build_backend.py $(WHEELS) || exit 1; \
		else echo "SKIPPED: no $$compiler, so there is no wheel for $$platform"; fi; \
	done

test-python: ## build the wheels, install them in a fresh virtual environment, and test them there
	@GO="$(GO)" PYTHON="$(PYTHON)" sh scripts/test-python.sh

EMULATED ?= internal/kernels
test-arm64: ## run tests as arm64 has them, under qemu-aarch64: make test-arm64 [EMULATED="internal/kernels solver"]
	@command -v qemu-aarch64 >/dev/null || { echo "SKIPPED: no qemu-aarch64 here (Debian: qemu-user), so arm64's assembly is not tested"; exit 0; }; \
	GOOS=linux GOARCH=arm64 CGO_ENABLED=0 $(GO) test -short -exec qemu-aarch64 $(EMULATED:%=./%)

TOOL := $(GO) tool -modfile=tools/go.mod
# No file asks for a system and a CPU at once, but those of Linux: these pairs have every file. Linux on arm64 is built
# by scripts/nofma.sh.
PLATFORMS := linux/amd64 linux/386 darwin/arm64 windows/amd64

lint: ## gofumpt, go vet and staticcheck
	@test -z "$$($(TOOL) gofumpt -l .)" || { $(TOOL) gofumpt -d .; exit 1; }
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	$(TOOL) staticcheck -tags purego $(ASSEMBLY)

# Of each system, one platform on which all is vetted: only assembly asks for the CPU too.
VETTED := linux/amd64 darwin/arm64 windows/amd64

vet: ## build and vet for every system and CPU, with and without assembly
	@for platform in $(PLATFORMS); do \
		echo "vet $$platform"; \
		export GOOS=$${platform%/*} GOARCH=$${platform#*/} CGO_ENABLED=0; \
		case " $(VETTED) " in *" $$platform "*) packages=./...;; *) packages="$(ASSEMBLY)";; esac; \
		$(GO) build -o /dev/null ./cmd/nbsvm && $(GO) vet $$packages || exit 1; \
	done
	@echo "vet purego"
	@$(GO) vet -tags purego $(ASSEMBLY)
	@$(GO) build -tags purego ./...
	@echo "vet arm64 as debuggers build it" # calls of assembly that is not there must be left out all the same
	@GOARCH=arm64 CGO_ENABLED=0 $(GO) test -c -gcflags=-N -o /dev/null ./internal/kernels

notices: ## write THIRD_PARTY_NOTICES, the licences of what is linked into nbsvm and the Python package
	@GO="$(GO)" sh scripts/notices.sh >THIRD_PARTY_NOTICES.new
	@mv THIRD_PARTY_NOTICES.new THIRD_PARTY_NOTICES

vuln: ## look for known vulnerabilities in what is called, with govulncheck
	@GO="$(GO)" sh scripts/vuln.sh

cover: ## test coverage by package
	$(GO) test -short -cover ./...

FUZZTIME ?= 10s
fuzz: ## run every fuzz target for FUZZTIME, two at a time
	@sh scripts/fuzz.sh $(FUZZTIME)

bench: ## run every benchmark
	$(GO) test -run '^$$' -bench . ./...

SETS := bin/data
data: ## make a set of Go's comments, and fetch IMDB, TREC, rt-polarity, banking77 and a9a from their authors, into bin/data, for make imdb, compare and site
	@mkdir -p "$(SETS)/godoc" && sh scripts/godoc.sh "$(SETS)/godoc"
	@sh scripts/data.sh "$(SETS)"

RUNS ?= 5
PARTS ?= accuracy,train,solve,score,size
compare: build ## measure nbsvm beside other programs and print a page, kept as bin/compare.md: make compare [DATA=FOLDER] [RUNS=5] [PARTS=accuracy,train,solve,score,size]; without DATA, on what make data fetches
	@$(if $(DATA),,$(MAKE) --no-print-directory data || true)
	@$(GO) run ./bench/compare --data "$(or $(DATA),$(SETS))" --nbsvm $(BIN) --python "$(PYTHON)" --runs $(RUNS) --parts $(PARTS) \
		--plot bin/size.svg >bin/compare.md && cat bin/compare.md

compare-models: build ## print accuracy and time of every kind of model, as in docs/reference/models.md: make compare-models DATA=FOLDER [RUNS=3]
	@/usr/bin/python3 bench/compare/models.py $(BIN) "$(DATA)" $(RUNS)

wasm: OUT ?= bin/wasm
wasm: ## build the page that runs models in a browser: make wasm [MODEL=FILE] [OUT=FOLDER]; serve the folder by HTTP
	@mkdir -p "$(OUT)"
	@cp wasm/page/* "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" "$(OUT)/"
	@if [ -n "$(MODEL)" ]; then cp "$(MODEL)" "$(OUT)/model.nbm"; fi
	@out="$(abspath $(OUT))" && GOOS=js GOARCH=wasm $(GO) build -C wasm -trimpath -ldflags="-s -w" -o "$$out/nbsvm.wasm" .
	@echo "Serve $(OUT) by HTTP, with compression"

HUGO := $(STATIC) $(GO) tool -modfile=tools/hugo.mod hugo
# The model of the site's page to try: MODEL, or one trained here on IMDB or, without DATA, on Go's doc comments.
TRIED := bin/try.nbm
site: build ## build the manual as a web site, into bin/site, with a page to try a model on: make site [DATA=FOLDER] [MODEL=FILE]; the first time, Go fetches and compiles Hugo, which takes minutes
	@$(HUGO) version >/dev/null || { echo "Hugo is missing, and Go could not build it. Let Go reach its module proxy once, \
	then run make site again; after that it needs no network."; exit 1; }
	@$(HUGO) --source tools/site --destination "$(abspath bin/site)" --cleanDestinationDir --noBuildLock --panicOnWarning
	@$(if $(MODEL),cp "$(MODEL)" $(TRIED),NBSVM=$(BIN) GO="$(GO)" sh scripts/try.sh "$(DATA)" $(TRIED))
	@$(MAKE) --no-print-directory wasm OUT=bin/site/try MODEL=$(TRIED) >/dev/null
	@echo "Open bin/site/index.html"

manual: ## write manual pages and completion scripts into bin/manual
	@$(STATIC) $(GO) build -trimpath -o $(BIN) ./cmd/nbsvm
	@rm -rf bin/manual && mkdir -p bin/manual/man bin/manual/completions
	@$(STATIC) $(GO) test -count 1 -run TestManual ./cmd/nbsvm -manual "$(abspath bin/manual/man)" >/dev/null && gzip -9n bin/manual/man/*
	@cd bin/manual/completions && nbsvm="$(abspath $(BIN))" && $$nbsvm completion bash >nbsvm.bash && \
		$$nbsvm completion zsh >_nbsvm && $$nbsvm completion fish >nbsvm.fish

IMAGES := bin/image
image: ## build container images for amd64 and arm64 into bin/image, without a container engine; docker load reads them
	@for arch in amd64 arm64; do \
		export GOOS=linux GOARCH=$$arch CGO_ENABLED=0 && to="$(abspath $(IMAGES))/$$arch" && mkdir -p "$$to" && \
		$(GO) build -trimpath -ldflags="-s -w" -o "$$to/nbsvm" ./cmd/nbsvm && \
		unset GOOS GOARCH && $(GO) run -C tools/image . -arch $$arch -version $(VERSION) \
			-created "$$(git log -1 --format=%ct)" -revision "$$(git rev-parse HEAD)" -o "$(abspath $(IMAGES))/nbsvm_$(VERSION)_linux_$$arch.image.tar" \
			"$$to/nbsvm" "$(CURDIR)/LICENSE" "$(CURDIR)/THIRD_PARTY_NOTICES" || exit 1; \
	done; ls $(IMAGES)/*.image.tar

# Nothing is published: that is what .github/workflows/release.yml does. The version is that of the source.
VERSION = $(shell sed -n 's/^const Version = "\(.*\)"/\1/p' internal/container/version.go)
GORELEASER ?= $(GO) tool -modfile=tools/release.mod goreleaser
release: ## build archives, packages, images and bills of materials for all systems, into bin/release; the first time, Go compiles GoReleaser, which takes minutes
	@test -z "$$(git status --porcelain)" || { echo "Commit first: a release is built from a commit."; exit 1; }
	GORELEASER_CURRENT_TAG=v$(VERSION) $(GORELEASER) release --clean --skip=validate,publish,announce
	@cp $(IMAGES)/*.image.tar $(WHEELS)/*.whl bin/release # their checksums are there

smoke: ## unpack the release in bin/release and run it, arm64 under qemu-aarch64, and install it into a fresh root
	@sh scripts/smoke.sh bin/release
	@sh scripts/install.sh bin/release

clean: ## remove what was built
	rm -rf bin
