package experiments

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// OtherScale is that of a run whose settings are those of no scale.
const OtherScale Scale = "other"

// Collect reads what runs left in a folder, and judges it anew: a record for each
// experiment and each of the settings that it was run with, in the order of
// [Experiments], and one for each that cannot be run. An experiment that shows a
// part of another's run is there if that is. Folders of experiments that there are
// not, and runs with other settings than this version has, are left alone.
func Collect(dir string) ([]*ExperimentRecord, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, badInput("%s is not a folder of results: want what ansatz run --out left", dir)
	}
	var all []*ExperimentRecord
	for _, e := range Experiments() {
		if e.Absent != "" {
			r := e.record("", nil, "")
			r.conclude()
			all = append(all, r)
			continue
		}
		found, err := e.collect(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// collect reads the runs of an experiment, those of the larger scales last.
func (e *Experiment) collect(dir string) ([]*ExperimentRecord, error) {
	folders, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(e.source().ID), "*", "seed-*"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	slices.SortFunc(folders, bySeed)
	records := map[string]*ExperimentRecord{}
	var hashes []string
	for _, f := range folders {
		s, err := seedFolder(f).read()
		if err != nil {
			return nil, err
		}
		if s == nil || s.Experiment != e.source().ID {
			continue
		}
		hash := filepath.Base(filepath.Dir(f))
		if records[hash] == nil {
			records[hash] = e.record(e.scaleOf(hash), s.Spec, hash)
			hashes = append(hashes, hash)
		}
		records[hash].add(s)
	}
	order := []Scale{Smoke, OtherScale, Small, PaperScale}
	slices.SortStableFunc(hashes, func(a, b string) int {
		return slices.Index(order, records[a].Scale) - slices.Index(order, records[b].Scale)
	})
	var all []*ExperimentRecord
	for _, h := range hashes {
		records[h].conclude()
		all = append(all, records[h])
	}
	return all, nil
}

// bySeed orders folders by hash, then by the number of the seed.
func bySeed(a, b string) int {
	if d := strings.Compare(filepath.Dir(a), filepath.Dir(b)); d != 0 {
		return d
	}
	return seedOf(a) - seedOf(b)
}

func seedOf(folder string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(filepath.Base(folder), "seed-")) // another name is no run
	return n
}

// scaleOf is the scale whose settings have a hash.
func (e *Experiment) scaleOf(hash string) Scale {
	for scale, s := range e.source().Specs {
		if _, h, err := e.hash(s); err == nil && h == hash {
			return scale
		}
	}
	return OtherScale
}
