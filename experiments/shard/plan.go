package shard

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// PlanFile is the name of a plan in the folder of its work.
const PlanFile = "plan.json"

// format is the version of the format of plans and receipts.
const format = 1

// Plan is work that consists of units, divided into shards.
type Plan struct {
	Format int    `json:"format"`
	Kind   string `json:"kind"` // of the job
	Title  string `json:"title"`
	// Command does the work of the plan in one process, and stands on the page of the merged results; "" if they have none.
	Command string `json:"command,omitempty"`
	Maker          // of all units
	// Settings are shared by all units; with the units' specs they determine the results.
	Settings json.RawMessage `json:"settings"`
	// Merge holds further settings that only merging needs.
	Merge json.RawMessage `json:"merge"`
	// MergeSeconds and MergeBytes are the expected time and memory of merging; 0 if unknown, or if merging only writes
	// files.
	MergeSeconds float64 `json:"merge_seconds,omitempty"`
	MergeBytes   float64 `json:"merge_bytes,omitempty"`
	// MergeDisk is how many bytes merging writes. The units' files stay besides.
	MergeDisk float64 `json:"merge_disk,omitempty"`
	Units     []Unit  `json:"units"`
	// Shards are indices of Units, each of which is in one shard.
	Shards [][]int `json:"shards"`
	// Hash is a digest of all of the above except for Command and the estimates of time, memory and disk.
	Hash string `json:"hash"`
}

// Maker is what two units need in common to be equal to the bit.
type Maker struct {
	Version string `json:"version"` // of ansatz
	Backend string `json:"backend"`
	Device  string `json:"device,omitempty"` // the GPU, of the backend gpu
	Threads int    `json:"threads"`          // of a unit
}

// New divides units into shards of about equal time. From p it uses Kind, Title, Maker, Settings, Merge, the estimates
// for merging, and Units without their IDs.
func New(p Plan, shards int) (*Plan, error) {
	switch {
	case len(p.Units) == 0:
		return nil, inputError("there is nothing to plan")
	case shards < 1:
		return nil, inputError("--shards %d: want at least 1", shards)
	case p.Threads < 1:
		return nil, inputError("--threads %d: want at least 1; every unit of a plan runs with that number on "+
			"every machine", p.Threads)
	}
	p.Format, p.Settings, p.Merge = format, compact(p.Settings), compact(p.Merge)
	p.Units = slices.Clone(p.Units)
	for i, u := range p.Units {
		u.Spec = compact(u.Spec)
		u.ID = idOf(p.Kind, p.Settings, u.Spec)
		p.Units[i] = u
	}
	p.Shards = divide(p.Units, min(shards, len(p.Units)))
	p.Hash = p.digest()
	return &p, p.check()
}

// compact returns JSON without white space; null for an empty text.
func compact(text json.RawMessage) json.RawMessage {
	if len(text) == 0 {
		return json.RawMessage("null")
	}
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return text // check will return an error for it
	}
	return b.Bytes()
}

// digest returns the digest of the plan without its hash and its estimates, which may change.
func (p *Plan) digest() string {
	without := *p
	without.Command, without.Hash = "", ""
	without.MergeSeconds, without.MergeBytes, without.MergeDisk = 0, 0, 0
	without.Units = slices.Clone(p.Units)
	for i := range without.Units {
		u := &without.Units[i]
		u.Seconds, u.Bytes, u.Disk, u.Scratch = 0, 0, 0, 0
	}
	text, err := json.Marshal(without)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// Limits on the contents of a plan.
const (
	mostThreads = 1 << 16
	mostNeeded  = 1e24 // seconds or bytes
)

// check returns an error unless New could have made the plan.
func (p *Plan) check() error {
	switch {
	case p.Format != format:
		return fmt.Errorf("format %d, want %d: another version of ansatz planned it", p.Format, format)
	case p.Hash == "" || p.digest() != p.Hash:
		return errors.New("it is damaged: its contents do not match its hash")
	case p.Threads < 1 || p.Threads > mostThreads:
		return fmt.Errorf("%d threads: want 1 to %d", p.Threads, mostThreads)
	case len(p.Units) == 0:
		return errors.New("it has no units")
	case min(p.MergeSeconds, p.MergeBytes, p.MergeDisk) < 0 || max(p.MergeSeconds, p.MergeBytes, p.MergeDisk) > mostNeeded:
		return errors.New("the expected cost of merging is not a valid number")
	}
	ids := map[string]string{}
	for _, u := range p.Units {
		if want := idOf(p.Kind, p.Settings, u.Spec); u.ID != want {
			return fmt.Errorf("unit %q: the ID %q is not that of its spec, %s", u.Name, u.ID, want)
		}
		if other, twice := ids[u.ID]; twice {
			return fmt.Errorf("units %q and %q are the same", other, u.Name)
		}
		if min(u.Seconds, u.Bytes, u.Disk, u.Scratch) < 0 || max(u.Seconds, u.Bytes, u.Disk, u.Scratch) > mostNeeded {
			return fmt.Errorf("unit %q: its expected cost is not a valid number", u.Name)
		}
		ids[u.ID] = u.Name
	}
	return p.checkShards()
}

// checkShards returns an error unless every unit is in exactly one shard.
func (p *Plan) checkShards() error {
	in := make([]bool, len(p.Units))
	for s, shard := range p.Shards {
		if len(shard) == 0 {
			return fmt.Errorf("shard %d has no units", s+1)
		}
		for _, i := range shard {
			if i < 0 || i >= len(in) || in[i] {
				return fmt.Errorf("shard %d: unit %d is in another shard, or does not exist", s+1, i)
			}
			in[i] = true
		}
	}
	if i := slices.Index(in, false); i >= 0 {
		return fmt.Errorf("unit %d is in no shard", i)
	}
	return nil
}

// Write writes the plan into the folder out, which it makes if needed. A different plan that is
// already there stays, and the error is an [*InputError].
func (p *Plan) Write(out string) error {
	there, err := Read(out)
	if err == nil && there.Hash != p.Hash {
		return inputError("%s holds the plan of something else (%s, %s): give another --out, or remove it", out,
			there.Title, words.Count(len(there.Shards), "shard"))
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	if len(text) > jsonfile.Large {
		return inputError("a plan of %s takes %d MiB; at most %d MiB are possible: divide the work into several "+
			"plans",
			words.Count(len(p.Units), "unit"), len(text)>>20, jsonfile.Large>>20)
	}
	if err := atomicfile.MakeFolder(out); err != nil {
		return &InputError{fmt.Errorf("--out: %w: give a folder that can be written to", err)}
	}
	return writeJSON(filepath.Join(out, PlanFile), p)
}

// Read reads the plan in the folder out. If there is none the error is [fs.ErrNotExist]; an invalid
// plan is an [*InputError].
func Read(out string) (*Plan, error) {
	path := filepath.Join(out, PlanFile)
	p := &Plan{}
	err := jsonfile.ReadStrict(path, jsonfile.Large, p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &InputError{noPlanError(out)}
	}
	if err != nil {
		return nil, inputError("%w: that is not a plan: remove it, or plan in another folder", err)
	}
	p.Settings, p.Merge = compact(p.Settings), compact(p.Merge)
	for i := range p.Units {
		p.Units[i].Spec = compact(p.Units[i].Spec)
	}
	if err := p.check(); err != nil {
		return nil, inputError("%s: %w: remove it, or plan in another folder", path, err)
	}
	return p, nil
}

// Shard returns the units of shard i, counted from 1.
func (p *Plan) Shard(i int) ([]Unit, error) {
	if i < 1 || i > len(p.Shards) {
		return nil, inputError("shard %d: the plan has %s, counted from 1", i, words.Count(len(p.Shards), "shard"))
	}
	var units []Unit
	for _, k := range p.Shards[i-1] {
		units = append(units, p.Units[k])
	}
	return units, nil
}

// Unit is the smallest piece of work that is made, stored and checked as a whole.
type Unit struct {
	// ID is a digest of the kind of the plan, its settings, and Spec.
	ID   string          `json:"id"`
	Name string          `json:"name"` // for people
	Spec json.RawMessage `json:"spec"` // identifies the unit to the job
	// Seconds and Bytes are the expected time, with the plan's threads, and memory of the process. Disk is the
	// expected size of the unit's files, and Scratch that of its checkpoints, which are deleted when it is complete. 0
	// means unknown.
	Seconds float64 `json:"seconds,omitempty"`
	Bytes   float64 `json:"bytes,omitempty"`
	Disk    float64 `json:"disk,omitempty"`
	Scratch float64 `json:"scratch,omitempty"`
}

// idOf returns the digest of what determines the result of a unit.
func idOf(kind string, settings, spec json.RawMessage) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n", kind, settings, spec))
	return fmt.Sprintf("%x", sum[:8])
}

// divide divides units into shards: the longest units first, each into the shard with the least work. A unit of
// unknown time counts as much as the longest of the others.
func divide(units []Unit, shards int) [][]int {
	unknown := 1.
	for _, u := range units {
		unknown = max(unknown, u.Seconds)
	}
	seconds := func(i int) float64 { return cmp.Or(max(0, units[i].Seconds), unknown) }
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(seconds(b), seconds(a)) })
	all, load := make([][]int, shards), make([]float64, shards)
	for _, i := range order {
		least := 0
		for s := range all {
			if load[s] < load[least] {
				least = s
			}
		}
		all[least] = append(all[least], i)
		load[least] += seconds(i)
	}
	for s := range all {
		slices.Sort(all[s])
	}
	return all
}

const (
	shardSeconds = 30 * 60 // per shard, so that starting it is worth while
	fewShards    = 16      // enough for a few machines
	mostShards   = 1000    // every scheduler allows as many
)

// Shards returns a suitable number of shards: of about half an hour each or, if there is little work, up to 16 shards.
func Shards(units []Unit) int {
	seconds := 0.
	for _, u := range units {
		seconds += u.Seconds
	}
	n := max(int(min(seconds/shardSeconds, mostShards))+1, fewShards)
	return max(1, min(n, mostShards, len(units)))
}
