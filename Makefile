# The commands of everyday work. .ci/run checks everything.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
HUGO        = github.com/gohugoio/hugo@v0.164.0
GORELEASER  = github.com/goreleaser/goreleaser/v2@v2.14.0
HOST        = $(shell go env GOOS)/$(shell go env GOARCH)
PLATFORMS  ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: build test calibration bench coverage-table weights-table sentences-table compare-table housing-table peer-table claims-table performance-table lint ci slurm cross wheels r-package vignette-builder site gallery man completions licenses release snapshot clean

build: ## the program, as ./aibd
	go build -o aibd ./cmd/aibd

test: ## all tests; those that have a long form in a short one
	go test ./...

calibration: ## the long calibration; writes the pictures and the table of docs/theory/calibration.md
	go test ./mcmc -run Calibration -timeout 30m -args -long -pictures

bench: ## the time of a scan
	go test ./mcmc -run xxx -bench 'Scan|Kernels|Laws'

coverage-table: ## the tables of docs/theory/decisions/scale-priors.md on coverage, an hour of one core
	go test ./lab -run TestCoverageTable -timeout 300m -v -args -coverage=400

weights-table: ## the table of docs/lab/weights.md, ten minutes of one core
	go test ./lab -run TestWeightsTable -timeout 100m -v -args -weights=200

sentences-table: ## the table of docs/lab/sentences.md, six minutes of one core
	go test ./lab -run TestSentencesTable -timeout 100m -v -args -sentences=20

compare-table: ## the table of near items in docs/lab/comparison.md, an hour; DATA is the folder with the data and those of lab/testdata/tables.R
	go test ./lab -run TestCompareTable -timeout 120m -args -compare=$(abspath $(DATA))

claims-table: ## the tables of docs/lab/claims.md, an hour of one core; needs R and writes tables into DATA, an empty folder
	Rscript lab/testdata/datasets.R $(abspath $(DATA))
	go test ./lab -run TestClaimsTable -timeout 300m -v -args -claims=$(abspath $(DATA))

performance-table: ## the tables and the picture of docs/lab/performance.md, an hour of two cores; needs R, and in DATA the California districts
	Rscript lab/testdata/large.R $(abspath $(DATA))
	go test ./lab -run 'TestPerformanceTable|TestGrowthTable' -timeout 300m -v -args -performance=$(abspath $(DATA))

peer-table: ## the table of docs/lab/peers.md, in the folder PEER; PGFA is a checkout of pgfa, SECONDS of each of its samplers
	go test ./lab -run 'TestPeer$$' -timeout 120m -args -peer=$(abspath $(PEER))
	test -z "$(PGFA)" || /usr/bin/python3 lab/testdata/pgfa.py $(PGFA) $(PEER) $(SECONDS)
	go test ./lab -run 'TestPeer$$' -count 1 -v -args -peer=$(abspath $(PEER))

housing-table: ## the table of docs/lab/housing.md; RUNS are runs with the same held-out cells, separated by commas
	go test ./lab -run TestHousingTable -timeout 120m -v -args -housing=$(RUNS)

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go mod tidy -diff
	cd examples && go mod tidy -diff
	go vet ./...
	cd examples && go vet ./...
	go run $(STATICCHECK) ./...

ci: ## everything that a change must pass
	.ci/run

slurm: ## tasks of a Slurm cluster on this machine, interrupted 200 times; some minutes
	.ci/slurm

cross: $(addprefix build/cross/,$(PLATFORMS)) ## the program for all platforms

build/cross/%: FORCE
	CGO_ENABLED=0 GOOS=$(firstword $(subst /, ,$*)) GOARCH=$(notdir $*) go build -trimpath -tags minimal -ldflags '-s -w' -o $@/ ./cmd/aibd

wheels: $(addprefix build/wheel/,$(PLATFORMS)) ## wheels with the program inside, in dist; PLATFORMS=linux/amd64 builds one

build/wheel/%: build/cross/% licenses
	/usr/bin/python3 python/build_wheel.py $* $</aibd* build/licenses dist

r-package: vignette-builder build/cross/$(HOST) licenses ## the R package with the program of this platform inside, in dist
	scratch=$$(mktemp -d) && cp -RL r $$scratch/aibd && mkdir -p $$scratch/aibd/inst/bin dist \
	&& cp build/cross/$(HOST)/aibd $$scratch/aibd/inst/bin && cp -R build/licenses $$scratch/aibd/inst && (cd dist && R CMD build $$scratch/aibd) && rm -r $$scratch

vignette-builder:
	@Rscript -e 'quit(status = !requireNamespace("knitr", quietly = TRUE) || !requireNamespace("markdown", quietly = TRUE))' || \
	{ echo 'make r-package: the vignette needs the R packages knitr and markdown: install.packages(c("knitr", "markdown"))' >&2; exit 1; }

FORCE:

site: ## the documents as a site, in dist/site
	rm -rf dist/site
	CGO_ENABLED=0 go run $(HUGO) --config site/hugo.toml --destination dist/site --noBuildLock --quiet --panicOnWarning
	go test ./internal/docs -run 'TestSite$$' -count 1 -args -site=$(abspath dist/site)

gallery: build ## the site with its gallery; needs R with ade4, cluster, plm, spData, vegan and VIM
	/usr/bin/python3 site/gallery.py aibd build/gallery
	$(MAKE) site

man: ## manual pages, in build/man1
	go run ./cmd/man build/man1

completions: ## completions of verbs and flags for shells, in build/completions
	mkdir -p build/completions
	go build -o build/completions/aibd ./cmd/aibd
	for shell in bash zsh fish powershell; do build/completions/aibd completion $$shell > build/completions/aibd.$$shell; done
	rm build/completions/aibd

licenses: ## the licenses of Go and of all modules in the program, in build/licenses
	rm -rf build/licenses && mkdir -p build/licenses/go && cp "$$(go env GOROOT)/LICENSE" build/licenses/go
	for os in linux darwin windows; do GOOS=$$os go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./cmd/aibd; done | sort -u | \
	while read -r module dir; do mkdir -p build/licenses/$$module && cp -r $$dir/[Ll][Ii][Cc][Ee][Nn][Ss][Ee]* build/licenses/$$module || exit 1; done

release: ## archives and checksums of the tagged commit, in dist
	go run $(GORELEASER) release --clean

snapshot: ## the same of any commit
	go run $(GORELEASER) release --snapshot --clean

clean:
	rm -rf aibd build dist
