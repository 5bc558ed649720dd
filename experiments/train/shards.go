package train

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
)

// Networks describes a grid of trainings: every dataset with every architecture, width and seed.
// Where a list is nil the value of Spec is used.
type Networks struct {
	Spec     Spec
	Datasets []string
	Archs    []string
	Widths   []float64
	Seeds    int // from Spec.Seed on; 0 is 1
}

// networkUnit is a unit of a plan: one network to train.
type networkUnit struct {
	Folder string     `json:"folder"` // its folder in the merged results, with slashes
	Spec   Spec       `json:"spec"`
	Inputs job.Inputs `json:"inputs"`
}

// shardSettings are the settings that all networks of a plan share.
type shardSettings struct {
	Backend string `json:"backend,omitempty"`
}

// specs returns the settings of all networks of the grid.
func (n Networks) specs() ([]Spec, error) {
	if n.Seeds < 0 {
		return nil, input.Errorf("--seeds %d: want at least 1", n.Seeds)
	}
	var all []Spec
	for _, set := range listOr(n.Datasets, n.Spec.Data) {
		for _, arch := range listOr(n.Archs, n.Spec.Arch) {
			for _, width := range listOr(n.Widths, n.Spec.Width) {
				for k := range max(1, n.Seeds) {
					s := n.Spec
					s.Data, s.Arch, s.Width, s.Seed = set, arch, width, n.Spec.Seed+uint64(k)
					all = append(all, s)
				}
			}
		}
	}
	return all, nil
}

// listOr returns the list, or the one element if the list is empty.
func listOr[T any](list []T, one T) []T {
	if len(list) == 0 {
		return []T{one}
	}
	return list
}

// PlanNetworks plans trainings. A unit is one network, whose training continues from its checkpoint after an
// interruption. To find errors early, every architecture is opened with the first seed, and all data are read. Merging
// puts each network, without its checkpoint, into the folder DATA/ARCH-width-W/seed-K, and writes a table over all.
// With shards 0 the plan chooses their number.
func PlanNetworks(ctx context.Context, n Networks, threads, shards int) (*shard.Plan, error) {
	specs, err := n.specs()
	if err != nil {
		return nil, err
	}
	var units []shard.Unit
	folders, merged := map[string]bool{}, float64(job.PageBytes)
	for _, s := range specs {
		u, unit, err := planNetwork(ctx, s, s.Seed == n.Spec.Seed)
		if err != nil {
			return nil, err
		}
		if folders[u.Folder] {
			return nil, input.Errorf("two networks would be in the folder %s: give every dataset, "+
				"architecture and width once", u.Folder)
		}
		folders[u.Folder] = true
		unit.Name = u.Folder
		if unit.Spec, err = json.Marshal(u); err != nil {
			return nil, err
		}
		units = append(units, unit)
		merged += unit.Disk
	}
	w := job.Work{Kind: job.TrainKind, Backend: n.Spec.Backend, Title: "training of " + words.Count(len(units), "network"), Units: units,
		MergeDisk: merged}
	return w.Plan(threads, shards, shardSettings{n.Spec.Backend}, nil)
}

// planNetwork returns a network, and its unit with the expected cost. With check it also opens the network, to find
// settings that do not fit it.
func planNetwork(ctx context.Context, s Spec, check bool) (u networkUnit, unit shard.Unit, err error) {
	s.Threads = 1
	u = networkUnit{Folder: networkFolder(s), Spec: s}
	if err := u.check(); err != nil {
		return u, unit, err
	}
	open := openTraining
	if check {
		open = NewTrainingOf
	}
	a, err := input.LookupArchitecture(s.Arch)
	if err != nil {
		return u, unit, err
	}
	t, err := open(ctx, s, a)
	if err != nil {
		return u, unit, err
	}
	if u.Inputs, err = t.inputs(); err != nil {
		return u, unit, err
	}
	unit, err = t.estimateUnit(a)
	return u, unit, err
}

// What a training writes, as multiples of its weights.
const (
	keptCopies       = 3 // the first weights, the best and the last
	checkpointCopies = 3 // the weights and the largest state of an optimiser, Adam's two averages
)

// pointBytes is about the size of a layer in the page, the record and the tables, for each time that the explorer keeps.
const pointBytes = 12 << 10

// estimateUnit returns a unit with the expected cost of training an architecture. Time and memory are unknown if the
// ansatz is tracked.
func (t *Training) estimateUnit(a *models.Architecture) (shard.Unit, error) {
	f, err := FreshNetwork(a, t.data.shape(), t.outputs(), t.spec.Seed)
	if err != nil {
		return shard.Unit{}, err
	}
	weights := 4 * float64(f.Size())
	unit := shard.Unit{Disk: keptCopies*weights + job.PageBytes, Scratch: (keptCopies + checkpointCopies) * weights}
	if t.spec.Track > 0 {
		n := float64(t.measurements()) * float64(len(f.Layers()))
		unit.Disk, unit.Scratch = unit.Disk+pointBytes*n, unit.Scratch+pointBytes*n
	} else {
		takes := workload.Estimate(t.spec.Backend, t.spec.Precision, t.Job(f.Layers()))
		unit.Seconds, unit.Bytes = takes.Seconds, takes.Bytes
	}
	return unit, nil
}

// check returns an error for a folder outside the plan's folder, or one that the plan needs itself.
func (u networkUnit) check() error {
	first, _, _ := strings.Cut(u.Folder, "/")
	if u.Folder != networkFolder(u.Spec) || !filepath.IsLocal(filepath.FromSlash(u.Folder)) ||
		slices.Contains(reservedFolders, first) {
		return input.Errorf("%q cannot be the folder of networks: give the data another name", u.Folder)
	}
	return nil
}

// reservedFolders are the folders that a plan or a report uses itself.
var reservedFolders = []string{"units", "scratch", "failed", "locks", "figures", "tables"}

// networkFolder returns the folder of a network below the merged one, with slashes.
func networkFolder(s Spec) string {
	arch := strings.TrimSuffix(filepath.Base(s.Arch), ".toml")
	return fmt.Sprintf("%s/%s-width-%g/%s", plainName(filepath.Base(s.Data)), plainName(arch), cmp.Or(s.Width, 1),
		study.SeedName(s.Seed))
}

// plainName replaces the characters that some file system refuses by hyphens.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '-'
	}, s)
}
