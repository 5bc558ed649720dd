package verify

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
)

// Checkpoints verifies several files of weights of one network, such as one per epoch. All are measured on the same
// images, with the same random rotations of the nulls.
type Checkpoints struct {
	spec  Spec
	files []string
	at    []float64
	by    string // what at is
	first *Verification
}

// weightFiles are the file name extensions of weights in a folder.
var weightFiles = []string{".pth", ".pt", ".th", ".safetensors"}

// AreCheckpoints reports whether Weights names several files, by a pattern such as run/*.pth or by a folder.
func (s Spec) AreCheckpoints() bool {
	info, err := os.Stat(s.Weights)
	return err == nil && info.IsDir() || err != nil && strings.ContainsAny(s.Weights, "*?[")
}

// NewCheckpoints opens the first of the files that Weights names, and the images. All its errors are input errors.
func NewCheckpoints(s Spec) (*Checkpoints, error) {
	files, err := s.checkpointFiles()
	if err != nil {
		return nil, err
	}
	c := &Checkpoints{spec: s, files: files}
	c.order()
	c.first, err = c.open(0)
	return c, err
}

// checkpointFiles lists the files.
func (s Spec) checkpointFiles() (found []string, err error) {
	if info, err := os.Stat(s.Weights); err == nil && info.IsDir() {
		files, err := os.ReadDir(s.Weights)
		if err != nil {
			return nil, input.Errorf("--weights: %w", err)
		}
		for _, f := range files {
			if slices.Contains(weightFiles, strings.ToLower(filepath.Ext(f.Name()))) {
				found = append(found, filepath.Join(s.Weights, f.Name()))
			}
		}
	} else if found, err = filepath.Glob(s.Weights); err != nil {
		return nil, input.Errorf("--weights %q: %w: want a pattern such as 'run/*.pth'", s.Weights, err)
	}
	if len(found) == 0 {
		return nil, input.Errorf("--weights %q: there is no such file of weights (%s)", s.Weights, strings.Join(weightFiles, ", "))
	}
	return found, nil
}

var numbersInName = regexp.MustCompile(`\d+`)

// order sorts the files by the last number in their names, such as the epoch, if all of these differ, else by name, with the
// initial weights of a training first.
func (c *Checkpoints) order() {
	folder := c.folder()
	number := func(path string) float64 {
		all := numbersInName.FindAllString(strings.TrimSuffix(nameBelow(folder, path), filepath.Ext(path)), -1)
		if len(all) == 0 {
			return -1
		}
		n, err := strconv.ParseFloat(all[len(all)-1], 64)
		if err != nil {
			return -1
		}
		return n
	}
	seen := map[float64]bool{-1: true}
	for _, f := range c.files {
		if n := number(f); seen[n] {
			slices.SortFunc(c.files, func(a, b string) int {
				return cmp.Or(cmp.Compare(isInitial(b), isInitial(a)), cmp.Compare(a, b))
			})
			c.by = "place in the order of the names"
			for i := range c.files {
				c.at = append(c.at, float64(i+1))
			}
			return
		}
		seen[number(f)] = true
	}
	c.by = "number in the name"
	slices.SortFunc(c.files, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	for _, f := range c.files {
		c.at = append(c.at, number(f))
	}
}

// isInitial is 1 for the weights with which a training began, by their name, and 0 for others.
func isInitial(path string) int {
	if strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) == "initial" {
		return 1
	}
	return 0
}

func (c *Checkpoints) open(i int) (*Verification, error) {
	s := c.spec
	s.Weights = c.files[i]
	return NewVerification(s)
}

// Checkpoint holds the measurements for one file of weights.
type Checkpoint struct {
	Weights string   `json:"weights"`
	Name    string   `json:"name"` // the path below the folder that all are in
	SHA256  string   `json:"weights_sha256"`
	At      float64  `json:"at"`                 // see CheckpointsRecord.By
	Correct *float64 `json:"accuracy,omitempty"` // as [Record.Accuracy]
	Seconds float64  `json:"seconds"`
	// Layers are the same at every checkpoint.
	Layers []LayerRecord `json:"layers"`
}

// CheckpointsRecord is the result of verifying several files of weights of one network.
type CheckpointsRecord struct {
	Arch        string       `json:"arch"`
	Form        string       `json:"form,omitempty"`
	Data        string       `json:"data"`
	Images      int          `json:"images"`
	By          string       `json:"by"` // the quantity by which checkpoints are ordered, see Checkpoint.At
	Checkpoints []Checkpoint `json:"checkpoints"`
	// Conventions are those of every checkpoint, without the weights' digest. They name all normalisations, if weights differ
	// in that.
	Conventions Conventions `json:"conventions"`

	page record.PageData
}

// exploredTimes is the largest number of checkpoints in the page's explorer, besides the last.
const exploredTimes = 20

// Run measures the ansatz at every checkpoint. It calls progress with the stage, which names the checkpoint.
func (c *Checkpoints) Run(ctx context.Context, progress func(cnfa.Progress)) (*CheckpointsRecord, error) {
	var out *CheckpointsRecord
	var normalise string // of the first checkpoint
	for i := range c.files {
		v := c.first
		var err error
		if i > 0 {
			if v, err = c.open(i); err != nil {
				return nil, err
			}
		}
		r, err := v.Run(ctx, func(p cnfa.Progress) {
			if progress != nil {
				p.Stage = fmt.Sprintf("%d of %d: %s", i+1, len(c.files), p.Stage)
				progress(p)
			}
		})
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = &CheckpointsRecord{Arch: r.Arch, Form: r.Form, Data: r.Data, Images: r.Images, By: c.by,
				Conventions: r.Conventions, page: record.NewPageData()}
			out.Conventions.WeightsSHA256, normalise = "", r.Conventions.Normalise
		}
		if n := r.Conventions.Normalise; n != normalise {
			out.Conventions.Normalise += fmt.Sprintf("; for %s %s", c.name(i), n)
		}
		out.Checkpoints = append(out.Checkpoints, Checkpoint{Weights: c.files[i], Name: c.name(i), SHA256: r.Conventions.WeightsSHA256,
			At: c.at[i], Correct: r.Accuracy, Seconds: r.Seconds, Layers: r.Layers})
		if err := c.explore(ctx, out, v, r, i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// explore adds the i-th checkpoint to the page's explorer, unless there are many.
func (c *Checkpoints) explore(ctx context.Context, out *CheckpointsRecord, v *Verification, r *Verified, i int) error {
	stride := (len(c.files) + exploredTimes - 1) / exploredTimes
	if i%stride != 0 && i != len(c.files)-1 {
		return nil
	}
	e, err := v.explorer(ctx, r.Result)
	if err != nil {
		return err
	}
	e.Vectors, e.Values, e.MaxFilters, e.MaxPatch = 4, 24, 256, 300
	if out.page.Explorer == nil {
		if out.page.Explorer, err = v.document(e, r.Result); err != nil {
			return err
		}
	}
	return v.addPoints(ctx, out.page.Explorer, e, r.Result, c.name(i))
}

// name returns the path of a file below the folder that all files are in.
func (c *Checkpoints) name(i int) string { return nameBelow(c.folder(), c.files[i]) }

// folder returns the folder that all files are in.
func (c *Checkpoints) folder() string {
	common := filepath.Dir(c.files[0])
	for _, f := range c.files {
		for common != filepath.Dir(common) && !strings.HasPrefix(f, common+string(filepath.Separator)) {
			common = filepath.Dir(common)
		}
	}
	return common
}

// nameBelow returns the path of a file below a folder.
func nameBelow(folder, file string) string {
	name, err := filepath.Rel(folder, file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(name)
}
