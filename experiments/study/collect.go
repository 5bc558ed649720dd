package study

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// OtherScale is that of a run whose settings are those of no scale.
const OtherScale Scale = "other"

// Collect reads what runs left in a folder, and judges it anew: a record for each
// experiment and each of the settings that it was run with, in the order of the
// catalogue, and one for each that cannot be run. An experiment that shows a
// part of another's run is there if that is. Folders of experiments that there are
// not, and those that are not called seed-N, are left alone; runs with other settings
// than this version has at any scale are of [OtherScale]. A run that is damaged, or
// in the folder of another, is an error.
func (c Catalogue) Collect(dir string) ([]*Record, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, input.Errorf("%s is not a folder of results: want what ansatz run --out left", dir)
	}
	var all []*Record
	for _, e := range c {
		if e.Absent != "" {
			r := e.record("", nil, "")
			r.conclude()
			all = append(all, r)
			continue
		}
		found, err := e.Collect(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// Collect reads the runs of an experiment, those of the larger scales last.
func (e *Experiment) Collect(dir string) ([]*Record, error) {
	seeds, err := e.Source().seedsIn(dir)
	if err != nil {
		return nil, err
	}
	records := map[string]*Record{}
	var hashes []string
	for _, s := range seeds {
		hash := s.folder.hash()
		if records[hash] == nil {
			records[hash] = e.record(e.ScaleOf(hash), s.Spec, hash)
			hashes = append(hashes, hash)
		}
		records[hash].add(s)
	}
	order := []Scale{Smoke, OtherScale, Small, PaperScale}
	slices.SortStableFunc(hashes, func(a, b string) int {
		return slices.Index(order, records[a].Scale) - slices.Index(order, records[b].Scale)
	})
	var all []*Record
	for _, h := range hashes {
		records[h].conclude()
		all = append(all, records[h])
	}
	return all, nil
}

// seedsIn reads the seeds of all runs of the experiment in a folder, ordered by hash,
// then by their numbers.
func (e *Experiment) seedsIn(dir string) ([]*seedRecord, error) {
	names, err := fs.Glob(os.DirFS(dir), e.ID+"/*/seed-*")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return seedOf(name) < 0 })
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(strings.Compare(path.Dir(a), path.Dir(b)), cmp.Compare(seedOf(a), seedOf(b)))
	})
	var all []*seedRecord
	for _, name := range names {
		s, err := seedFolder(filepath.Join(dir, filepath.FromSlash(name))).read()
		if err != nil {
			return nil, err
		}
		if s != nil {
			all = append(all, s)
		}
	}
	return all, nil
}

// seedOf is the number in the name of a folder, -1 of one that is not a seed's, as a
// copy's is not.
func seedOf(folder string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(path.Base(folder), "seed-"))
	if err != nil || path.Base(folder) != SeedName(uint64(n)) {
		return -1
	}
	return n
}

// ScaleOf is the scale whose settings have a hash, the smallest of those that have
// the same.
func (e *Experiment) ScaleOf(hash string) Scale {
	for _, scale := range Scales {
		s, there := e.Source().Specs[scale]
		if !there {
			continue
		}
		if _, h, err := e.Hash(s); err == nil && h == hash {
			return scale
		}
	}
	return OtherScale
}
