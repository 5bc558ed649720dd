package shard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/lock"
)

// MergeError reports which units prevent merging.
type MergeError struct {
	Out      string
	Problems []Problem
}

// Problem is a unit that is missing, damaged or foreign, that is, not of this plan.
type Problem struct {
	Shard int    // from 1 on; 0 of a unit that is not in the plan
	Unit  string // its name and ID
	Err   error
}

// Missing reports whether the units are missing, and none is damaged or foreign.
func (e *MergeError) Missing() bool {
	return !slices.ContainsFunc(e.Problems, func(p Problem) bool { return !errors.Is(p.Err, errMissing) })
}

var errMissing = errors.New("missing")

// Error names a few of the units.
func (e *MergeError) Error() string {
	const most = 20
	var b strings.Builder
	fmt.Fprintf(&b, "%s cannot be merged:", e.Out)
	for i, p := range e.Problems {
		if i == most {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Problems)-most)
			break
		}
		b.WriteString("\n  ")
		if p.Shard > 0 {
			fmt.Fprintf(&b, "shard %d, ", p.Shard)
		}
		fmt.Fprintf(&b, "%s: %s", p.Unit, strings.ReplaceAll(p.Err.Error(), "\n", "; "))
	}
	if e.Missing() {
		return b.String() + "\nansatz resume makes what is missing"
	}
	return b.String() + "\nremove the folders of units that are damaged or foreign; ansatz resume makes them again"
}

// InputError returns true: the user can make the units again.
func (e *MergeError) InputError() bool { return true }

// Merge checks the units of a plan, and calls the job to combine them in the folder out. Missing,
// damaged or foreign units are a [*MergeError]. If another process is merging there, the error is
// [lock.ErrHeld]. If ctx ends, it is a [*StoppedError].
func Merge(ctx context.Context, p *Plan, job Job, out string) (err error) {
	f := folder(out)
	l, err := f.lockUnit("merge")
	if errors.Is(err, lock.ErrHeld) {
		return fmt.Errorf("merging %s: %w", out, err)
	}
	if err != nil {
		return inputError("--out: %w: want a folder that can be written to", err)
	}
	defer func() { err = errors.Join(err, l.Release()) }()
	if err := checkReplaceable(f.merged()); err != nil {
		return err
	}
	units, done, err := p.collect(f)
	if err != nil {
		return err
	}
	if err := job.Merge(ctx, units, out); err != nil {
		if ctx.Err() != nil {
			return &StoppedError{Out: out, Done: len(units), Of: len(units), Interrupts: true}
		}
		return err
	}
	return writeJSON(f.merged(), done)
}

// collect checks all units, and returns their folders.
func (p *Plan) collect(f folder) ([]Folder, *merged, error) {
	c := collector{plan: p, done: &merged{Plan: p.Hash, Units: map[string]string{}}, data: map[string]source{},
		bad: &MergeError{Out: string(f)}}
	shards := make([]int, len(p.Units))
	for s, shard := range p.Shards {
		for _, k := range shard {
			shards[k] = s + 1
		}
	}
	for k, u := range p.Units {
		if err := c.checkUnit(f, u); err != nil {
			c.bad.Problems = append(c.bad.Problems, Problem{shards[k], fmt.Sprintf("%s (units/%s)", u.Name, u.ID), err})
		}
	}
	if err := c.checkStrangers(f); err != nil {
		return nil, nil, err
	}
	if len(c.bad.Problems) > 0 {
		return nil, nil, c.bad
	}
	return c.units, c.done, nil
}

// collector checks units one by one.
type collector struct {
	plan  *Plan
	units []Folder
	done  *merged
	data  map[string]source // by name
	bad   *MergeError
}

// source is data that a unit read.
type source struct{ digest, unit string }

// checkUnit checks a unit of the plan.
func (c *collector) checkUnit(f folder, u Unit) error {
	dir := f.unit(u.ID)
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		if why := f.failure(u.ID); why != "" {
			return fmt.Errorf("%w: it failed: %s", errMissing, why)
		}
		if lock.Held(f.lock(u.ID)) {
			return fmt.Errorf("%w: it is being made", errMissing)
		}
		return errMissing
	}
	r, err := ReadReceipt(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("damaged: %s is missing", ReceiptFile)
	}
	if err != nil {
		return err
	}
	switch {
	case r.Unit != u.ID || r.Kind != c.plan.Kind:
		return fmt.Errorf("foreign: it is %s %q, of ID %s", r.Kind, r.Name, r.Unit)
	case r.Maker != c.plan.Maker:
		return fmt.Errorf("foreign: it was made by %v, the plan wants %v", r.Maker, c.plan.Maker)
	}
	if err := r.check(dir); err != nil {
		return err
	}
	for name, digest := range r.Data {
		if other, read := c.data[name]; read && other.digest != digest {
			return fmt.Errorf("foreign: its data, %s, is not that of %s", name, other.unit)
		}
		c.data[name] = source{digest, u.Name}
	}
	c.units = append(c.units, Folder{u, dir})
	c.done.Units[u.ID] = r.Checksum
	return nil
}

// checkStrangers reports units that are not in the plan.
func (c *collector) checkStrangers(f folder) error {
	names, err := os.ReadDir(f.units())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, n := range names {
		known := slices.ContainsFunc(c.plan.Units, func(u Unit) bool { return u.ID == n.Name() })
		if !known && !strings.HasPrefix(n.Name(), ".") {
			c.bad.Problems = append(c.bad.Problems,
				Problem{Unit: "units/" + n.Name(), Err: errors.New("foreign: it belongs to no unit of the plan")})
		}
	}
	return nil
}
