package train

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
)

// Record is the result of a training, as --json prints it.
type Record struct {
	Arch           string        `json:"arch"`
	Form           string        `json:"form,omitempty"`
	Data           string        `json:"data"`
	Parameters     int           `json:"parameters"` // all weights, frozen ones too
	Epochs         []EpochRecord `json:"epochs"`
	Steps          int           `json:"steps"`
	SecondsPerStep float64       `json:"seconds_per_step"` // the median
	Stopped        string        `json:"stopped"`
	Best           *BestRecord   `json:"best,omitempty"`
	// the file of the best weights; of a linearization those of its u
	Weights        string `json:"weights,omitempty"`
	LastWeights    string `json:"last_weights,omitempty"`
	InitialWeights string `json:"initial_weights,omitempty"`
	// WeightsSHA256 has the digests of these files, by their names.
	WeightsSHA256 map[string]string `json:"weights_sha256,omitempty"`
	// Makers are the versions of the program that took part, each with its first step.
	Makers      []job.Maker   `json:"made_by,omitempty"`
	Spec        Spec          `json:"spec"`
	Conventions Conventions   `json:"conventions"`
	Ansatz      []AnsatzPoint `json:"ansatz,omitempty"`

	page record.PageData
}

// EpochRecord describes one pass over the training images. Training loss and accuracy are means over the steps, each
// before its update and in training mode; the others are for the weights at the end, in evaluation mode. Unmeasured
// fields are absent.
type EpochRecord struct {
	Epoch         int     `json:"epoch"`
	LR            float64 `json:"lr"`
	TrainLoss     float64 `json:"train_loss"`
	TrainAccuracy float64 `json:"train_accuracy"`
	// FinalTrainAccuracy is the accuracy of the weights at the end on the training images, in evaluation mode and
	// augmented as in the first epoch.
	FinalTrainAccuracy *float64 `json:"final_train_accuracy,omitempty"`
	ValidationLoss     *float64 `json:"validation_loss,omitempty"`
	ValidationAccuracy *float64 `json:"validation_accuracy,omitempty"`
	TestLoss           *float64 `json:"test_loss,omitempty"`
	TestAccuracy       *float64 `json:"test_accuracy,omitempty"`
	Seconds            float64  `json:"seconds"`
}

// Conventions describes all that the numbers of a training depend on.
type Conventions struct {
	Arch       string       `json:"-"`
	Data       string       `json:"-"`
	Model      string       `json:"model,omitempty" fact:"model"`     // of a linearization
	Network    string       `json:"network,omitempty" fact:"network"` // remarks on the network
	Optimiser  string       `json:"optimiser" fact:"optimiser"`
	Schedule   string       `json:"schedule" fact:"schedule"`
	Loss       string       `json:"loss" fact:"loss"`
	Init       string       `json:"init" fact:"initialisation"`
	Labels     string       `json:"labels" fact:"labels"`
	Train      string       `json:"train" fact:"training images"`
	Validation string       `json:"validation" fact:"validation images"`
	Test       string       `json:"test" fact:"test images"`
	TestCopies input.Copies `json:"test_copies,omitempty" fact:"test images seen in training"`
	Augment    string       `json:"augmentation" fact:"augmentation"`
	Normalise  string       `json:"normalise" fact:"normalisation"`
	Batches    string       `json:"batches" fact:"batches"`
	Frozen     string       `json:"frozen" fact:"frozen"`
	Best       string       `json:"best" fact:"best weights"`
	Ansatz     string       `json:"ansatz,omitempty"`
	record.RunConventions
}

// Describe sets the conventions.
func (t *Training) Describe() error {
	info, err := data.Describe(t.data.Train)
	if err != nil {
		return &input.Error{Err: err}
	}
	c, s := &t.conv, t.spec
	c.Arch, c.Data, c.Network = t.net.Arch.Name, t.data.Train.Name(), strings.Join(t.net.Arch.Notes, " ")
	precision := input.PrecisionText(t.Plan.Options.Precision)
	if s.Precision == BF16 {
		precision = "products of bfloat16, added up in float32; values that wait for the backward pass in bfloat16; weights " +
			"and all else float32"
	}
	c.RunConventions = record.NewRunConventions(precision, s.Backend, s.Threads, s.Seed)
	c.DataSHA256 = info.SHA256
	t.describeSteps(c)
	t.describeImages(c)
	if s.Track == 0 {
		return nil
	}
	_, probes, err := t.data.Probes(s.ProbeImages, s.ProbeSplit)
	c.Ansatz = fmt.Sprintf("every %d steps on %s, as ansatz verify measures it, in evaluation mode; one set of "+
		"random rotations for the nulls of all measurements", s.Track, probes)
	return err
}

// describeSteps sets the conventions of a step.
func (t *Training) describeSteps(c *Conventions) {
	c.Optimiser, c.Schedule = t.Plan.Options.Optimiser.String(), t.Plan.schedule.String()
	switch {
	case t.net.Classes == 1:
		c.Loss = "squared error of the one output against the label, 0 or 1, mean over the images; an output " +
			"above 1/2 predicts 1"
	case t.Plan.Options.Loss == models.MeanSquaredError:
		c.Loss = "squared error on one-hot targets, mean over images and classes"
	default:
		c.Loss = "cross-entropy, mean over the images"
	}
	c.Init = t.net.Arch.Initialisation().String()
	if t.spec.InitWeights != "" {
		c.Init = "the weights in " + t.spec.InitWeights
	}
	c.Batches = words.Count(t.batches().Batch, "image") + ", in a new order every epoch; the last of an epoch may be smaller"
	if t.spec.Block > 0 {
		c.Batches += fmt.Sprintf("; blocks of %d consecutive images in random order, those of 16 shuffled together",
			t.spec.Block)
	}
	if t.spec.Linearized {
		c.Model = LinearConvention
	}
	c.Frozen = cmp.Or(t.spec.Freeze, "nothing")
	c.Best = "the epoch with the smallest training loss"
	if t.data.Validation != nil {
		c.Best = "the epoch with the smallest validation loss"
	}
}

// describeImages sets the conventions of the images and their preparation.
func (t *Training) describeImages(c *Conventions) {
	c.Labels = t.Plan.labels.String()
	if t.spec.Classes != "" {
		c.Labels += fmt.Sprintf(", of the classes %s", strings.Join(t.data.selected, ", "))
	}
	c.Train = words.Count(t.data.Train.Len(), "image") + ", " + t.data.order
	c.Validation = "none"
	if v := t.data.Validation; v != nil {
		c.Validation = words.Count(v.Len(), "image") + " held out of the training images, in proportion to the classes"
	}
	c.Test, c.TestCopies = "none", t.data.copies
	if v := t.data.Test; v != nil {
		c.Test = words.Count(v.Len(), "image") + ", which choose nothing"
		if t.spec.Shift > 0 {
			c.Test += fmt.Sprintf("; each shifted by up to %d pixels, the same way every time", t.spec.Shift)
		}
	}
	c.Augment = t.Plan.Augment.String()
	c.Normalise = input.NormalisationText(t.data.Normalisation)
}

// newRecord returns the record of the training so far.
func (s *session) newRecord() *Record {
	r := &Record{
		Arch: s.net.Arch.Name, Form: s.net.Arch.Form, Data: s.conv.Data, Parameters: s.net.Size(),
		Epochs: s.state.Epochs,
		Steps:  s.trainer.Steps(), SecondsPerStep: s.loop.SecondsPerStep(), Best: s.state.Best,
		Spec: s.spec, Conventions: s.conv, Ansatz: s.state.Ansatz,
		page: record.PageData{Command: s.run.Command, Explorer: s.state.Explorer},
	}
	if s.folder != nil {
		best, last := bestFile, lastFile
		if s.spec.Linearized {
			best, last = tangentsName(best), tangentsName(last)
		}
		r.Weights, r.LastWeights, r.InitialWeights = s.folder.path(best), s.folder.path(last),
			s.folder.path(InitialFile)
	}
	return r
}

// name returns the name of the architecture, with its width.
func (r *Record) name() string {
	name := r.Arch
	if r.Spec.Linearized {
		name = "linearized " + name
	}
	if w := r.Spec.Width; w != 0 && w != 1 {
		return fmt.Sprintf("%s ×%g", name, w)
	}
	return name
}

// Final returns the record of the last epoch, or nil if there was none.
func (r *Record) Final() *EpochRecord {
	if len(r.Epochs) == 0 {
		return nil
	}
	return &r.Epochs[len(r.Epochs)-1]
}

// Summary returns the result of the training in a sentence or two.
func (r *Record) Summary() string {
	e := r.Final()
	if e == nil {
		return fmt.Sprintf("%s (%d parameters) took %s.", r.name(), r.Parameters, words.Count(r.Steps, "step"))
	}
	ended := "stopped " + r.Stopped
	if time, found := strings.CutPrefix(r.Stopped, "after "); found {
		ended = "trained for " + time
	}
	text := fmt.Sprintf("%s (%d parameters) on %s, %s: training loss %.4g, accuracy %.2f %%", r.name(),
		r.Parameters, r.Data, ended, e.TrainLoss, 100*e.TrainAccuracy)
	if e.ValidationAccuracy != nil {
		text += fmt.Sprintf("; validation accuracy %.2f %%", 100**e.ValidationAccuracy)
	}
	if e.TestAccuracy != nil {
		text += fmt.Sprintf("; test accuracy %.2f %%", 100**e.TestAccuracy)
	}
	text += fmt.Sprintf(". A step took %s.", FormatSeconds(r.SecondsPerStep)) + r.Conventions.TestCopies.Warning()
	if n := len(r.Ansatz); n > 0 {
		text += " " + r.Ansatz[n-1].summarise()
	}
	return strings.TrimSpace(text + " " + r.Conventions.Network)
}

// FormatSeconds formats a duration in seconds or milliseconds.
func FormatSeconds(seconds float64) string {
	if seconds < 1 {
		return fmt.Sprintf("%.3g ms", 1000*seconds)
	}
	return fmt.Sprintf("%.3g s", seconds)
}

// summarise returns a sentence that says how many layers lie above their nulls.
func (p AnsatzPoint) summarise() string {
	var parts []string
	for _, c := range cnfmKinds {
		above, judged, excess := 0, 0, 0.
		for _, l := range p.Layers {
			if over, ok := c.of(l).Above(); ok {
				judged++
				excess += *c.of(l).Excess
				if over {
					above++
				}
			}
		}
		if judged > 0 {
			parts = append(parts, fmt.Sprintf("with %s %s by %d standard deviations (mean excess %+.3f)", c.label,
				similarity.AboveText(above, judged), similarity.NullDeviations, excess/float64(judged)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("After %s, %s.", words.Count(p.Step, "step"), strings.Join(parts, "; "))
}

// cnfmKind is one of the CNFMs that a training is measured with.
type cnfmKind struct {
	name, label string
	of          func(TrackedLayerRecord) similarity.AnsatzRecord
}

var cnfmKinds = []cnfmKind{
	{"w", "W", func(l TrackedLayerRecord) similarity.AnsatzRecord { return l.W }},
	{"w-minus-w0", "W − W₀", func(l TrackedLayerRecord) similarity.AnsatzRecord { return l.Change }},
}

// RecordKind implements [record.Record].
func (r *Record) RecordKind() string { return "train" }

// PageData returns the explorer of the measurements of the ansatz, nil if it was not tracked.
func (r *Record) PageData() *record.PageData { return &r.page }

// CSVTables returns the history and, if it was tracked, the ansatz.
func (r *Record) CSVTables() map[string]*report.Table {
	tables := map[string]*report.Table{historyFile: historyTable(r.Epochs)}
	if len(r.Ansatz) > 0 {
		tables[ansatzFile] = ansatzHistory(r.Ansatz)
	}
	return tables
}
