package train

import (
	"cmp"
	"regexp"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
)

// Spec holds the settings of a training. Arch, Data and Epochs are required; other fields that are zero have their
// defaults.
type Spec struct {
	Arch  string  `json:"arch"` // a name or the path of a TOML file
	Width float64 `json:"width,omitempty"`
	Init  string  `json:"init,omitempty"` // see [models.Architecture.SetInit]
	// Parameterisation of the weights; see [models.ParseParameterisation]
	Parameterisation string  `json:"parameterisation,omitempty"`
	Prefix           string  `json:"prefix,omitempty"`       // of the names in files of weights; see [models.Architecture]
	InitWeights      string  `json:"init_weights,omitempty"` // a file of weights to start from
	Dropout          float64 `json:"dropout,omitempty"`      // the probability of the network's dropouts; 0 keeps its own
	NoDropout        bool    `json:"no_dropout,omitempty"`   // removes the dropouts
	// train the linearization at the network's weights in its place, see [models.TrainOptions]
	Linearized bool `json:"linearized,omitempty"`

	Data      string `json:"data"`                // a name or the path of a folder
	TestData  string `json:"test_data,omitempty"` // a folder of test images
	Dir       string `json:"-"`
	Size      int    `json:"size,omitempty"`
	Fit       string `json:"fit,omitempty"`
	Normalise string `json:"normalise,omitempty"` // default that with which InitWeights were trained, else dataset
	Classes   string `json:"classes,omitempty"`   // only these classes: A,B,… in this order; default all
	Labels    string `json:"labels,omitempty"`    // see parseLabelling; default true
	Train     int    `json:"train,omitempty"`     // number of images, Validation's included; default all
	Test      int    `json:"test,omitempty"`      // default all
	// Draw, if not 0, is the seed that draws these images from the whole dataset, and generates datasets anew
	Draw       uint64 `json:"draw,omitempty"`
	Validation int    `json:"validation,omitempty"` // images held out of the training images
	Block      int    `json:"block,omitempty"`      // see [data.Pipeline]
	Crop       int    `json:"crop,omitempty"`
	Flip       bool   `json:"flip,omitempty"`
	Shift      int    `json:"shift,omitempty"` // of training and test images, in pixels

	Epochs      int     `json:"epochs"`
	Steps       int     `json:"steps,omitempty"` // stop after this many steps
	Batch       int     `json:"batch"`           // default 128
	Optimiser   string  `json:"opt"`             // sgd (default), adam, adamw or adadelta
	LR          float64 `json:"lr"`              // default .1, .001 or 1 by optimiser
	Momentum    float64 `json:"momentum,omitempty"`
	WeightDecay float64 `json:"weight_decay,omitempty"`
	Schedule    string  `json:"schedule,omitempty"` // see [models.ParseSchedule]
	Loss        string  `json:"loss"`               // ce (default) or mse
	Freeze      string  `json:"freeze,omitempty"`   // a regular expression of parameters
	// Patience is the number of epochs without a better validation loss after which training stops; 0 never stops
	Patience int `json:"patience,omitempty"`

	Track       int    `json:"track_ansatz,omitempty"` // steps between measurements of the ansatz
	ProbeImages int    `json:"probe_images,omitempty"` // default 200, or all
	ProbeSplit  string `json:"probe_split,omitempty"`  // train, or test (default if there is one)
	Precision   int    `json:"precision"`              // 32 (default) or 64 bits, or [BF16]
	Backend     string `json:"-"`
	Threads     int    `json:"-"`
	Seed        uint64 `json:"seed"`
}

// defaultRates are the default learning rates of the optimisers.
var defaultRates = map[string]float64{"sgd": .1, "adam": .001, "adamw": .001, "adadelta": 1}

// BF16 is the precision of a training whose products round their factors to bfloat16, see [backend.Options].
const BF16 = 16

const (
	defaultTrainBatch = 128
	defaultProbes     = 200
)

// WithDefaults returns the spec with its zero fields set to their defaults.
func (s Spec) WithDefaults() Spec {
	s.Batch = cmp.Or(s.Batch, defaultTrainBatch)
	s.Optimiser = cmp.Or(s.Optimiser, "sgd")
	s.LR = cmp.Or(s.LR, defaultRates[s.Optimiser])
	s.Loss = cmp.Or(s.Loss, models.CrossEntropy.String())
	s.Normalise = cmp.Or(s.Normalise, input.DeclaredNormalisation(s.Arch), "dataset")
	s.Labels = cmp.Or(s.Labels, "true")
	s.Precision = cmp.Or(s.Precision, 32)
	return s
}

// Plan is a spec with its text settings parsed.
type Plan struct {
	Options  models.TrainOptions
	schedule models.Schedule
	Augment  data.Augmentation
	labels   labelling
}

// plan parses the text settings of the spec.
func (s Spec) plan() (p Plan, err error) {
	if err := s.checkCounts(); err != nil {
		return p, err
	}
	p.Augment = data.Augmentation{Crop: s.Crop, Flip: s.Flip, Shift: s.Shift}
	if p.labels, err = parseLabelling(s.Labels); err != nil {
		return p, err
	}
	if p.schedule, err = models.ParseSchedule(s.Schedule); err != nil {
		return p, &input.Error{Err: err}
	}
	o := &p.Options
	o.Batch, o.Seed, o.Linearized = s.Batch, s.Seed, s.Linearized
	if o.Loss, err = models.ParseLoss(s.Loss); err != nil {
		return p, &input.Error{Err: err}
	}
	if p.labels.kind == OneClass && o.Loss != models.MeanSquaredError {
		return p, input.Errorf("--labels %s trains one output, towards 1 for the class and 0 for the "+
			"rest: give --loss mse", s.Labels)
	}
	if o.Optimiser, err = s.optimiser(); err != nil {
		return p, err
	}
	if s.Freeze != "" {
		if o.Frozen, err = regexp.Compile(s.Freeze); err != nil {
			return p, input.Errorf("--freeze %q is not a regular expression: %v", s.Freeze, err)
		}
	}
	bits := s.Precision
	switch s.Precision {
	case 64:
		o.Precision = graph.Double
	case BF16:
		if s.Linearized {
			return p, input.Errorf("--precision: a linearization is trained in 32 or 64 bits: give one of them")
		}
		if err := input.CheckBF16(s.Backend); err != nil {
			return p, err
		}
		bits = 32 // for the measurements
	}
	_, err = verify.Spec{Backend: s.Backend, Threads: s.Threads, Precision: bits}.Options()
	return p, err
}

func (s Spec) checkCounts() error {
	for _, c := range []struct {
		flag        string
		value, from int
	}{
		{"epochs", s.Epochs, 1}, {"batch", s.Batch, 1}, {"steps", s.Steps, 0}, {"train", s.Train, 0},
		{"test", s.Test, 0},
		{"validation", s.Validation, 0}, {"patience", s.Patience, 0}, {"track-ansatz", s.Track, 0},
		{"probe-images", s.ProbeImages, 0},
		{"block", s.Block, 0}, {"crop", s.Crop, 0}, {"shift", s.Shift, 0},
	} {
		if c.value < c.from {
			return input.Errorf("--%s %d: want at least %d", c.flag, c.value, c.from)
		}
	}
	if s.Linearized && s.Track > 0 {
		return input.Errorf("--track-ansatz is for networks: the filters of a linearization do not change")
	}
	if s.NoDropout && s.Dropout > 0 {
		return input.Errorf("--dropout %v and --no-dropout: take one of them", s.Dropout)
	}
	if s.Patience > 0 && s.Validation == 0 {
		return input.Errorf("--patience needs a validation split: give --validation N, which holds out N of the " +
			"training images")
	}
	return nil
}

func (s Spec) optimiser() (models.Optimiser, error) {
	switch s.Optimiser {
	case "sgd":
		if !(s.Momentum >= 0 && s.Momentum < 1) {
			return nil, input.Errorf("--momentum %v: want at least 0 and less than 1", s.Momentum)
		}
		return models.SGD{LR: s.LR, Momentum: s.Momentum, WeightDecay: s.WeightDecay}, nil
	case "adam", "adamw", "adadelta":
		if s.Momentum != 0 {
			return nil, input.Errorf("--momentum is for --opt sgd, not %s", s.Optimiser)
		}
		if s.Optimiser == "adadelta" {
			return models.Adadelta{LR: s.LR, WeightDecay: s.WeightDecay}, nil
		}
		return models.Adam{LR: s.LR, WeightDecay: s.WeightDecay, Decoupled: s.Optimiser == "adamw"}, nil
	}
	return nil, input.Errorf("--opt %q: want sgd, adam, adamw or adadelta", s.Optimiser)
}

// differences lists the settings in which the spec of a resumed run differs from the one with which the run began.
// More epochs are allowed, unless the learning rates depend on their number.
func (s Spec) differences(begun Spec) []string {
	if schedule, err := models.ParseSchedule(s.Schedule); err == nil && !schedule.NeedsEpochs() {
		begun.Epochs = s.Epochs
	}
	begun.Steps = s.Steps
	return record.ChangedSettings(s, begun)
}
