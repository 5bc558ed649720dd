package study

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// OtherScale is the scale of a run whose settings are not those of any scale.
const OtherScale Scale = "other"

// Collect reads the runs in a folder of results, and judges them anew. It returns a record for each experiment and each of the
// settings that it was run with, in the order of the catalogue, and a record for each experiment that cannot be run. An
// experiment that shows a part of another's run has a record if that run is there.
//
// Folders of unknown experiments, and folders that are not called seed-N, are ignored. Runs whose settings match no
// scale of this version get [OtherScale]. A damaged run, or one in the folder of another run, is an [*input.Error].
func (c Catalogue) Collect(dir string) ([]*Record, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, input.Errorf("%s is not a folder of results: want one that ansatz run --out wrote", dir)
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

// Collect reads the runs of one experiment, larger scales last. See [Catalogue.Collect].
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
			r := e.record(e.ScaleOf(hash), s.Spec, hash)
			if r.Looks, err = readLooks(s.folder.run()); err != nil {
				return nil, err
			}
			records[hash] = r
			hashes = append(hashes, hash)
		}
		records[hash].add(s)
	}
	order := []Scale{Smoke, OtherScale, Small, Medium, PaperScale}
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

// seedsIn reads the seeds of all runs of the experiment in a folder, ordered by hash and seed.
func (e *Experiment) seedsIn(dir string) ([]*seedRecord, error) {
	names, err := fs.Glob(os.DirFS(dir), e.ID+"/*/seed-*")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	seeds := map[string]uint64{}
	for _, name := range names {
		if seed, ok := seedOf(name); ok {
			seeds[name] = seed
		}
	}
	var all []*seedRecord
	for _, name := range slices.SortedFunc(maps.Keys(seeds), func(a, b string) int {
		return cmp.Or(strings.Compare(path.Dir(a), path.Dir(b)), cmp.Compare(seeds[a], seeds[b]))
	}) {
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

// seedOf returns the number in the name of a seed's folder; ok is false for other folders, such as a copy.
func seedOf(folder string) (seed uint64, ok bool) {
	seed, err := strconv.ParseUint(strings.TrimPrefix(path.Base(folder), "seed-"), 10, 64)
	return seed, err == nil && path.Base(folder) == SeedName(seed)
}

// ScaleOf returns the smallest scale whose settings have a hash, or [OtherScale].
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
