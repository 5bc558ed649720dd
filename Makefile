# make            builds bin/ansatz
# make run        trains a small network on generated digits and verifies it
# make test       runs the tests
# make lint       runs staticcheck
# make docs       writes README.md, docs/ and results/ as a small site, site/index.html
# make fuzz       fuzzes every parser; make fuzz-corpus keeps the inputs that reached new code
# make faults     kills commands, fills disks: 50 times each (FAULTS=50)
# make bench      times ansatz and PyTorch side by side (an hour; BENCH="-only step" a part)
# make costs      measures the time and memory of all experiments again (an hour on an idle machine, resumable)
# make needs      measures the jobs that the cost model of ansatz plan lacks (20 minutes for
#                 all, on an idle machine); make scale writes results/SCALE.md from the model
# make stale      lists the results in results/ that are out of date
# make results    runs the papers' experiments at scale small and writes results/ (many
#                 hours, resumable; MNIST, CIFAR-10 and, where there are any, photos/, uci/ and
#                 resnet20.th in $ANSATZ_DATA)
# make results-notes  makes the trainings and costs that results/NOTES.md reports
# make results-tables makes the comparison in results/tables.md (needs scikit-learn; uci/ in $ANSATZ_DATA)
#
# The native backend (oneDNN and OpenBLAS) and HDF5 are built in where their libraries are
# found; as root on Debian, make installs what is missing. ANSATZ_NATIVE=0 builds in pure Go.

GO      ?= go
OUT     ?= out/demo
# .ci/tags runs once, when the first target needs the tags.
BUILT    = $(eval BUILT := $$(shell .ci/tags))$(BUILT)
TAGS     = $(if $(BUILT),-tags $(BUILT))
VERSION := $(shell git describe --always --dirty 2>/dev/null)
LDFLAGS := -ldflags "-X github.com/ansatz-lab/ansatz/experiments/record.version=$(VERSION)"

.PHONY: build run test test-go check lint docs bench costs needs scale stale results results-size results-notes results-tables faults fuzz fuzz-corpus clean

build:
	@echo "ansatz: building with $(or $(BUILT),pure Go)"
	$(GO) build $(TAGS) $(LDFLAGS) -o bin/ansatz ./cmd/ansatz

run: build
	bin/ansatz demo --out $(OUT)

test: check
	@$(GO) run $(TAGS) ./cmd/ansatz doctor | grep '^gpu'
	$(GO) test $(TAGS) -timeout 40m ./...

# The tests in pure Go, after make test on the native backend: those of the packages that compute with a backend or have files
# of their own for pure Go, one seed of each experiment, and the commands in README.md. What behaves the same on both is not
# tested again: commands, seeds that are resumed, pages that are drawn again or opened in a browser.
PURE = ./graph/... ./models/... ./cnfa/... ./rfm/... ./data/... ./experiments ./cmd/docs
BOTH = TestSeedGoesOn|TestRedraw|TestBrowser|^TestDocs$$/^docs$$
test-go:
	$(GO) test -short -timeout 40m -skip '$(BOTH)' $(PURE)

check:
	@files=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$files" ] || { echo "gofmt: $$files"; exit 1; }
	$(GO) vet $(TAGS) ./...

# Lints with the tags that can be built, and in pure Go. The linter's version is pinned
# here; go.mod does not require it.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
lint:
	$(if $(BUILT),$(GO) run $(STATICCHECK) $(TAGS) ./...)
	$(GO) run $(STATICCHECK) ./...

# The site consists of plain files and needs no network. A broken link is an error.
docs:
	$(GO) run ./cmd/docs -out site

bench: build
	$(GO) run $(TAGS) ./cmd/bench -ansatz bin/ansatz $(BENCH)

# Runs one seed of each experiment on one thread. The costs of runs that exist already
# can be used too: bin/ansatz estimates DIR...
costs: build
	bin/ansatz run all --scale smoke --seeds 1 --threads 1 --yes --resume --quiet --out out/costs >/dev/null
	bin/ansatz run all --scale small --seeds 1 --threads 1 --yes --resume --quiet --out out/costs >/dev/null
	bin/ansatz estimates out/costs >out/costs.csv
	mv out/costs.csv experiments/cost/measured/costs.csv

# Measures the jobs that were not measured yet, and the settings on which the estimates
# for experiments are checked. Needs MNIST, CIFAR-10 and uci/ in DATA.
DATA ?= $(ANSATZ_DATA)
needs: build
	mkdir -p out
	bin/ansatz estimates --jobs --data-dir $(DATA) >out/points.csv
	mv out/points.csv experiments/cost/points.csv
	bin/ansatz estimates --variants --out out/costs --data-dir $(DATA)
	bin/ansatz estimates out/costs >out/costs.csv
	mv out/costs.csv experiments/cost/measured/costs.csv

# Estimates the cost of the experiments at the papers' scale, from what was measured.
scale: build
	bin/ansatz estimates --scale >results/SCALE.md

# A result is out of date if its settings differ from today's, or if its numbers at scale smoke changed.
stale:
	$(GO) run $(TAGS) ./cmd/stale -smoke

# Makes every experiment again that results/ has, over the same seeds, and writes the index of the results. Interrupted
# runs continue; complete ones are kept. For a new experiment: ansatz run ID --scale small --out results.
results: build
	set -e; ansatz() { bin/ansatz "$$@" --jobs 2 --resume --yes --out results; }; eval "$$(bin/ansatz report results --commands)"
	$(MAKE) results-size
	bin/ansatz report results --index results/README.md

# Deletes files of figures that are too large to commit: the larger of a figure's SVG and PNG; combined figures
# (figure.svg), whose panels are there too; CSV files over 20 KiB, which hold pixels of pictures.
# ansatz report results --redraw makes them again where the arrays are kept. In SVG files it shortens
# xlink:href, which old programs need for text and images, to the href that browsers read.
results-size:
	find results -name '*.svg' -exec sh -c 'for s; do p=$${s%.svg}.png; if [ -e $$p ] && [ $$(stat -c%s $$s) -lt $$(stat -c%s $$p) ]; then rm $$p; else [ ! -e $$p ] || rm $$s; fi; done' - {} +
	find results -name '*.svg' -exec sed -i "s/ xlink:href='/ href='/g; s| xmlns:xlink='http://www.w3.org/1999/xlink'||" {} +
	find results -path '*/figures/figure.svg' -delete
	find results -path '*/figures/*.csv' -size +20k -delete

# Makes the other results that results/NOTES.md reports: trainings of whole networks, and costs.
TRAIN    = bin/ansatz train --resume --quiet
CIFAR    = --data cifar10 --batch 128 --momentum .9 --weight-decay 5e-4 --schedule cosine --crop 4 --flip
results-notes: build
	$(TRAIN) --arch lenet --data mnist --epochs 5 --batch 32 --lr .05 --schedule cosine --track-ansatz 375 --out results/train/lenet-mnist
	$(TRAIN) --arch cnn-max $(CIFAR) --epochs 12 --lr .05 --track-ansatz 391 --out results/train/cnn-max-cifar10
	$(TRAIN) --arch vgg11 --width .25 $(CIFAR) --epochs 30 --lr .05 --track-ansatz 782 --out results/train/vgg11-quarter-cifar10
	for n in vit convnext; do \
		bin/ansatz train --arch examples/networks/$$n.toml --data cifar10 --epochs 3 --batch 64 --opt adam --lr .001 --schedule cosine --crop 4 --flip --seed 1 --track-ansatz 391 --quiet --out results/train/$$n-cifar10 && \
		bin/ansatz verify --arch examples/networks/$$n.toml --weights results/train/$$n-cifar10/best.safetensors --init-weights results/train/$$n-cifar10/initial.safetensors --data cifar10 --images 200 --quiet --out results/networks/$$n-cifar10 || exit 1; \
	done
	bin/ansatz verify --arch resnet20 --weights $(DATA)/resnet20.th --data cifar10 --images 500 --alignments all --quiet --out results/networks/resnet20
	bin/ansatz cost --quiet --out results/rfm-cost
	bin/ansatz cost --quiet --kernel cntk --out results/convrfm-cost

# Makes the results of results/tables.md: RFM and methods of scikit-learn on the same rows of
# 20 tables, half an hour each on one core.
UCI = --benchmark $(DATA)/uci --rows 1000
TABLES = out/tables
results-tables: build
	bin/ansatz tabular $(UCI) --splits-out out/splits
	/usr/bin/python3 examples/baselines/tables.py out/splits $(TABLES)/baselines
	bin/ansatz tabular $(UCI) --methods rfm,rfm-tuned,laplace,ntk --quiet --resume --others $(TABLES)/baselines/results.csv --out $(TABLES)
	/usr/bin/python3 examples/baselines/rfm_search.py out/splits $(TABLES)/search --ansatz bin/ansatz --trials 30 --time 15s
	bin/ansatz leaderboard $(foreach d,results baselines/results search/results,$(TABLES)/$d.csv) --out $(TABLES)/all
	mkdir -p results/tables/figures results/tables/all/figures
	cp -r $(TABLES)/record.json $(TABLES)/results.csv $(TABLES)/tables $(TABLES)/arrays $(TABLES)/baselines $(TABLES)/search results/tables
	cp -r $(foreach f,record.json tables arrays,$(TABLES)/all/$f) results/tables/all
	cp $(foreach s,png svg csv,$(TABLES)/figures/errors.$s) results/tables/figures
	cp $(foreach s,png svg csv,$(TABLES)/all/figures/differences.$s) results/tables/all/figures

# Kills each command FAULTS times at random moments, fills a disk as many times, and checks
# that finished results are neither lost nor incomplete. Filling disks needs root.
FAULTS ?= 50
FAULTY  = TestKilled|TestDiskFills|TestReadOnly|TestTwoProcesses|TestDamagedShards
faults:
	ANSATZ_FAULTS=$(FAULTS) $(GO) test $(TAGS) -count=1 -timeout 60m -v -run '$(FAULTY)' ./cmd/ansatz

# Runs every fuzz target for FUZZTIME, a number of inputs (20000x) or a time (30s). CI gives
# a number: if the time ends while a worker is busy, the run sometimes fails with "context
# deadline exceeded" (golang.org/issue/75804).
FUZZTIME ?= 200000x
fuzz:
	.ci/fuzz $(TAGS) $(FUZZTIME)

# Copies the inputs worth keeping, of all that make fuzz found on this machine, to
# testdata/fuzz; see .ci/corpus. Commit them.
fuzz-corpus:
	.ci/corpus $(TAGS) ./...

clean:
	rm -rf bin out site
