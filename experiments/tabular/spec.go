package tabular

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// Spec says which methods to compare on which tables, and how. All fields but Benchmark may be zero,
// which stands for their default.
type Spec struct {
	// Benchmark is uci121, grinsztajn, or the path of a table, of a folder of
	// tables, or of one with folders in the layout of the 121 sets.
	Benchmark string `json:"benchmark"`
	// Protocol is uci121 or grinsztajn; the default is the benchmark's, and
	// uci121 for a path.
	Protocol string   `json:"protocol"`
	Dir      string   `json:"-"`                  // the data folder
	Datasets string   `json:"datasets,omitempty"` // regular expression of the tables' names; default all
	Methods  []string `json:"methods"`            // of [Methods]; default rfm, laplace and ntk
	Rows     int      `json:"rows,omitempty"`     // at most this many of a table, stratified by class; default all
	Classify bool     `json:"classify,omitempty"` // treats a target of whole numbers as classes
	Target   string   `json:"target,omitempty"`   // the column to predict in every table; default [table.Table.DefaultTarget]
	Iters    int      `json:"iters"`              // most iterations of feature learning; default 5

	// PaperMode is the published procedure of the 121 sets: all folds use the metric that was learned
	// on the tuning split, which contains some of their test rows.
	PaperMode bool `json:"paper_mode,omitempty"`

	Configs int    `json:"configs,omitempty"` // drawn by seed, in the grinsztajn protocol; default 20
	Repeats int    `json:"repeats,omitempty"` // random splits, in the grinsztajn protocol; default 3
	Size    string `json:"size,omitempty"`    // medium (default) or large, in the grinsztajn protocol

	Precision int    `json:"precision"` // 32 (default) or 64 bits
	Backend   string `json:"-"`
	Threads   int    `json:"-"` // jobs at a time; 0 is all cores
	Seed      uint64 `json:"seed"`
}

// The protocols. Each has the name of its benchmark.
const (
	UciProtocol        = "uci121"
	GrinsztajnProtocol = "grinsztajn"
)

// The defaults of a spec.
const (
	defaultIters   = 5
	defaultConfigs = 20
	defaultRepeats = 3
	MediumSize     = "medium"
	LargeSize      = "large"
)

// WithDefaults returns the spec with its zero fields set to their defaults.
func (s Spec) WithDefaults() Spec {
	if s.Protocol == "" {
		s.Protocol = UciProtocol
		if s.Benchmark == GrinsztajnProtocol {
			s.Protocol = GrinsztajnProtocol
		}
	}
	if len(s.Methods) == 0 {
		s.Methods = []string{"rfm", "laplace", "ntk"}
	}
	s.Iters, s.Precision = cmp.Or(s.Iters, defaultIters), cmp.Or(s.Precision, 32)
	if s.Protocol == GrinsztajnProtocol {
		s.Configs, s.Repeats, s.Size = cmp.Or(s.Configs, defaultConfigs), cmp.Or(s.Repeats, defaultRepeats),
			cmp.Or(s.Size, MediumSize)
	}
	return s
}

// Check returns an input error if the settings are invalid.
func (s Spec) Check() error {
	for _, c := range []struct {
		flag        string
		value, from int
	}{{"rows", s.Rows, 0}, {"iters", s.Iters, 1}, {"configs", s.Configs, 0}, {"repeats", s.Repeats, 0},
		{"threads", s.Threads, 0}} {
		if c.value < c.from {
			return input.Errorf("--%s %d: want at least %d", c.flag, c.value, c.from)
		}
	}
	switch s.Protocol {
	case UciProtocol:
		if s.Configs != 0 || s.Repeats != 0 || s.Size != "" {
			return input.Errorf("--configs, --repeats and --size are for the grinsztajn protocol; that of the " +
				"121 sets takes its whole grid and four folds")
		}
	case GrinsztajnProtocol:
		if s.PaperMode {
			return input.Errorf("--paper-mode is for the protocol of the 121 sets: the grinsztajn protocol has " +
				"no leak to reproduce")
		}
		if s.Size != MediumSize && s.Size != LargeSize {
			return input.Errorf("--size %q: want medium or large", s.Size)
		}
	default:
		return input.Errorf("--protocol %q: want %s or %s", s.Protocol, UciProtocol, GrinsztajnProtocol)
	}
	if s.Target != "" && (s.Benchmark == UciProtocol || s.Benchmark == GrinsztajnProtocol) {
		return input.Errorf("--target %s: the tables of %s have targets of their own: leave the flag out", s.Target, s.Benchmark)
	}
	for i, m := range s.Methods {
		if findMethod(m) == nil {
			return input.Errorf("--methods: %q: want some of %s", m, strings.Join(Methods(), ", "))
		}
		if slices.Contains(s.Methods[:i], m) {
			return input.Errorf("--methods: %s is given twice", m)
		}
	}
	if _, err := input.ParsePrecision(s.Precision); err != nil {
		return err
	}
	return input.CheckBackend(s.Backend)
}

// name returns the name of the benchmark, without a folder.
func (s Spec) name() string { return filepath.Base(s.Benchmark) }

// datasetFilter returns a function that says whether the spec selects a table by its name.
func (s Spec) datasetFilter() (func(name string) bool, error) {
	re, err := regexp.Compile(s.Datasets)
	if err != nil {
		return nil, input.Errorf("--datasets %q is not a regular expression: %v", s.Datasets, err)
	}
	return re.MatchString, nil
}
