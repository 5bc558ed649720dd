package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/shard"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
	"gonum.org/v1/gonum/mat"
)

// shardSettings are the settings of a verification as the plan of its shards stores them.
type shardSettings struct {
	Spec   Spec       `json:"spec"` // without Dir and Threads
	Inputs job.Inputs `json:"inputs"`
}

// inputs identifies the verification's inputs other than files.
func (v *Verification) inputs() job.Inputs {
	return job.Inputs{Data: map[string]string{"images": v.Conv.DataSHA256, "normalisation": v.Conv.Normalise}}
}

// imageGroups is a unit of a plan: the groups of images k with From ≤ k < To.
type imageGroups struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// PlanVerification plans a verification. A unit computes the gradients for as many groups of images as there are
// threads; merging compares the matrices and writes the same files as [Verified.Save]. With shards 0 the plan chooses
// their number.
func PlanVerification(s Spec, threads, shards int) (*shard.Plan, error) {
	if s.AreCheckpoints() {
		return nil, input.Errorf("--weights %s: want one file, not a pattern or a folder: plan each file in a folder of its own",
			s.Weights)
	}
	s.Threads = max(1, threads)
	v, err := NewVerification(s)
	if err != nil {
		return nil, err
	}
	groups, err := v.Options.Parts()
	if err != nil {
		return nil, err
	}
	var units []shard.Unit
	size, layers := v.Size(), v.Options.Chosen(v.Net)
	for from := 0; from < groups; from += s.Threads {
		g := imageGroups{from, min(from+s.Threads, groups)}
		text, err := json.Marshal(g)
		if err != nil {
			return nil, err
		}
		gathering := size.Gathering(v.Net.Layers(), layers, g.To-g.From)
		takes := workload.Estimate(s.Backend, s.Precision, gathering)
		units = append(units, shard.Unit{Name: g.name(groups), Spec: text, Seconds: takes.Seconds, Bytes: takes.Bytes,
			Disk: 8*gathering.Moments + job.NoteBytes})
	}
	inputs := v.inputs()
	if inputs.Files, err = job.DigestFiles(s.Arch, s.Weights, s.InitWeights); err != nil {
		return nil, err
	}
	title := fmt.Sprintf("the ansatz in %s on %s", filepath.Base(s.Arch), filepath.Base(s.Data))
	s.Dir, s.Threads = "", 0
	w := job.Work{Kind: job.VerifyKind, Title: title, Backend: s.Backend, Units: units,
		Merging:   workload.Estimate(s.Backend, s.Precision, size.Comparing(v.Net.Layers(), layers)),
		MergeDisk: 4 * job.PageBytes}
	return w.Plan(threads, shards, shardSettings{s, inputs}, nil)
}

func (g imageGroups) name(of int) string {
	if g.To == g.From+1 {
		return fmt.Sprintf("image group %d of %d", g.To, of)
	}
	return fmt.Sprintf("image groups %d to %d of %d", g.From+1, g.To, of)
}

// check returns an error unless the groups are among the given number of groups.
func (g imageGroups) check(of int) error {
	if g.From < 0 || g.From >= g.To || g.To > of {
		return input.Errorf("the plan has image groups %d to %d of %d: another version of ansatz made it", g.From+1,
			g.To, of)
	}
	return nil
}

// shardJob makes parts of a verification.
type shardJob struct {
	*Verification
	command string // of the record
}

// decodeUnit returns the groups of images of a unit.
func (j shardJob) decodeUnit(u shard.Unit) (g imageGroups, err error) {
	if err := job.Decode(u.Spec, &g); err != nil {
		return g, err
	}
	groups, err := j.Options.Parts()
	if err != nil {
		return g, err
	}
	return g, g.check(groups)
}

// OpenJob opens the job of a plan of this kind. It returns an [*input.Error] if the plan's inputs differ from those on
// this machine.
func OpenJob(p *shard.Plan, in job.Setting) (shard.Job, error) {
	var s shardSettings
	if err := job.Decode(p.Settings, &s); err != nil {
		return nil, err
	}
	if err := s.Inputs.Files.Check(); err != nil {
		return nil, err
	}
	s.Spec.Dir, s.Spec.Threads = in.DataDir, p.Threads
	v, err := NewVerification(s.Spec)
	if err != nil {
		return nil, err
	}
	return shardJob{v, p.Command}, v.inputs().CheckPlanned(s.Inputs)
}

// Make implements [shard.Job].
func (j shardJob) Make(ctx context.Context, u shard.Unit, room shard.Room) (shard.Made, error) {
	g, err := j.decodeUnit(u)
	if err != nil {
		return shard.Made{}, err
	}
	o := j.Options
	o.Memory = record.AvailableMemory()
	o.Progress = func(p cnfa.Progress) { room.Progress(p.Stage, p.Done, p.Total) }
	err = cnfa.Gather(ctx, j.Net, j.Source.Loader, o, g.From, g.To, func(k int, p *cnfa.Part) error {
		return WritePart(PartFolder(room.Dir, k), p)
	})
	return shard.Made{Data: map[string]string{j.Source.Dataset.Name(): j.Conv.DataSHA256}}, err
}

// Merge implements [shard.Job]. The seconds of the record are the sum over the units.
func (j shardJob) Merge(ctx context.Context, units []shard.Folder, out string) error {
	seconds, dirs := 0., map[int]string{}
	for _, u := range units {
		g, err := j.decodeUnit(u.Unit)
		if err != nil {
			return err
		}
		r, err := shard.ReadReceipt(u.Dir)
		if err != nil {
			return err
		}
		seconds += r.Seconds
		for k := g.From; k < g.To; k++ {
			dirs[k] = PartFolder(u.Dir, k)
		}
	}
	o := j.Options
	o.Memory = record.AvailableMemory()
	result, err := cnfa.VerifyParts(ctx, j.Net, o, func(k int) (*cnfa.Part, error) {
		if dirs[k] == "" {
			return nil, input.Errorf("no unit of the plan has image group %d", k+1)
		}
		return ReadPart(dirs[k])
	})
	if err != nil {
		return err
	}
	r := j.newRecord(result, seconds)
	record.SetCommand(r, j.command)
	if _, err := r.Save(ctx, out); err != nil {
		return err
	}
	return record.SweepPage(out)
}

// partFile describes a part. Beside it, each layer has NPY files of float64, which keep every bit: the moment of its
// gradients and, if statements need them, the moments of the gradients of the loss and of the layer's inputs, and the
// gradient with respect to its weights.
const partFile = "part.json"

// The endings of the names of the statements' files.
const (
	lossFiles     = "-loss"
	inputFiles    = "-inputs"
	gradientFiles = "-gradient"
)

// partNote is the content of partFile.
type partNote struct {
	Images   int    `json:"images"`
	Labelled int    `json:"labelled"`
	Correct  int    `json:"correct"`
	Backend  string `json:"backend"`
	Batch    int    `json:"batch"`
	momentNote
	Loss      *momentNote `json:"loss,omitempty"`
	Inputs    *momentNote `json:"inputs,omitempty"`
	Gradients bool        `json:"gradients,omitempty"`
}

// momentNote describes the files of the moments of all layers.
type momentNote struct {
	// Vectors says for each layer whether the file stores vectors δ as rows, instead of Σδδᵀ.
	Vectors []bool `json:"vectors"`
	// Blocks says for each layer how many blocks of Σδδᵀ are stacked in the file; nil means one for every layer.
	Blocks []int `json:"blocks,omitempty"`
}

// PartFolder returns the folder of the k-th group of images, from 0, below dir.
func PartFolder(dir string, k int) string { return filepath.Join(dir, fmt.Sprintf("group-%d", k+1)) }

func momentFile(dir string, layer int, kind string) string {
	return filepath.Join(dir, fmt.Sprintf("layer-%d%s.npy", layer+1, kind))
}

// WritePart writes a part into a new folder.
func WritePart(dir string, p *cnfa.Part) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	n := partNote{Images: p.Images, Labelled: p.Labelled, Correct: p.Correct, Backend: p.Backend, Batch: p.Batch}
	var err error
	if n.momentNote, err = writeMoments(dir, "", p.Moments); err != nil {
		return err
	}
	var loss, inputs []moment.Moment
	for i, x := range p.Loss {
		loss, inputs = append(loss, x.Loss), append(inputs, x.Inputs)
		if n.Gradients = x.Gradient != nil; n.Gradients {
			if err := array.WriteNPY(momentFile(dir, i, gradientFiles), x.Gradient); err != nil {
				return err
			}
		}
	}
	for _, of := range []struct {
		note    **momentNote
		kind    string
		moments []moment.Moment
	}{{&n.Loss, lossFiles, loss}, {&n.Inputs, inputFiles, inputs}} {
		if len(of.moments) == 0 || of.moments[0].N() == 0 {
			continue
		}
		m, err := writeMoments(dir, of.kind, of.moments)
		if err != nil {
			return err
		}
		*of.note = &m
	}
	return atomicfile.WriteJSON(filepath.Join(dir, partFile), n)
}

// writeMoments writes the moments of all layers.
func writeMoments(dir, kind string, all []moment.Moment) (n momentNote, err error) {
	several := false
	for i, m := range all {
		held, few := heldMoment(m)
		n.Vectors = append(n.Vectors, few)
		n.Blocks = append(n.Blocks, len(m.Blocks()))
		several = several || len(m.Blocks()) > 1
		if err := array.WriteNPY(momentFile(dir, i, kind), held); err != nil {
			return n, err
		}
	}
	if !several {
		n.Blocks = nil
	}
	return n, nil
}

// heldMoment returns a moment in the form that its file stores, and whether that is a list of vectors.
func heldMoment(m moment.Moment) (held mat.Matrix, vectors bool) {
	blocks := m.Blocks()
	if rows, few := m.Factor(); few {
		return rows, true
	}
	if len(blocks) == 1 {
		return m.Sym(), false
	}
	n := blocks[0].N()
	all := mat.NewDense(m.N(), n, nil)
	for k, b := range blocks {
		all.Slice(k*n, (k+1)*n, 0, n).(*mat.Dense).Copy(b.Sym())
	}
	return all, false
}

// ReadPart reads a part that [WritePart] wrote.
func ReadPart(dir string) (*cnfa.Part, error) {
	var n partNote
	if err := jsonfile.ReadStrict(filepath.Join(dir, partFile), jsonfile.Small, &n); err != nil {
		return nil, &input.Error{Err: err}
	}
	p := &cnfa.Part{Images: n.Images, Labelled: n.Labelled, Correct: n.Correct, Backend: n.Backend, Batch: n.Batch}
	var err error
	if p.Moments, err = n.read(dir, ""); err != nil || n.Loss == nil {
		return p, err
	}
	loss, err := n.Loss.read(dir, lossFiles)
	if err != nil {
		return nil, err
	}
	p.Loss = make([]cnfa.LossMoments, len(loss))
	var inputs []moment.Moment
	if n.Inputs != nil {
		if inputs, err = n.Inputs.read(dir, inputFiles); err != nil {
			return nil, err
		}
	}
	for i := range p.Loss {
		p.Loss[i].Loss = loss[i]
		if i < len(inputs) {
			p.Loss[i].Inputs = inputs[i]
		}
		if n.Gradients {
			if p.Loss[i].Gradient, err = array.ReadNPYMatrix(momentFile(dir, i, gradientFiles)); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// read reads the moments of all layers.
func (n momentNote) read(dir, kind string) (all []moment.Moment, err error) {
	for i, few := range n.Vectors {
		blocks := 1
		if n.Blocks != nil {
			if len(n.Blocks) != len(n.Vectors) {
				return nil, input.Errorf("%s: %d layers, but the blocks of %d", dir, len(n.Vectors), len(n.Blocks))
			}
			blocks = n.Blocks[i]
		}
		m, err := readMoment(momentFile(dir, i, kind), few, blocks)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

func readMoment(path string, few bool, blocks int) (moment.Moment, error) {
	m, err := array.ReadNPYMatrix(path)
	if err != nil {
		return moment.Moment{}, err
	}
	rows, n := m.Dims()
	switch {
	case few && blocks == 1:
		return moment.OfRows(m), nil
	case few || blocks < 1 || blocks > rows || rows != blocks*n:
		return moment.Moment{}, input.Errorf("%s is %d×%d: want %d square matrices below each other", path, rows, n,
			blocks)
	}
	var all []moment.Moment
	for k := range blocks {
		all = append(all, moment.Of(mat.NewSymDense(n, m.RawMatrix().Data[k*n*n:(k+1)*n*n])))
	}
	return moment.OfBlocks(all), nil
}
