package experiments

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// TabularSpec says which methods to compare on which tables, and how. Other zero
// fields than Benchmark take the defaults that they name.
type TabularSpec struct {
	// Benchmark is uci121, grinsztajn, or the path of a table, of a folder of
	// tables, or of one with folders in the layout of the 121 sets.
	Benchmark string `json:"benchmark"`
	// Protocol is uci121 or grinsztajn; the default is the benchmark's, and
	// uci121 for a path.
	Protocol string   `json:"protocol"`
	Dir      string   `json:"-"`                  // the data folder
	Datasets string   `json:"datasets,omitempty"` // a regular expression of their names; default all
	Methods  []string `json:"methods"`            // of [TabularMethods]; default rfm, laplace and ntk
	Rows     int      `json:"rows,omitempty"`     // of a table with more, drawn by class; default all
	Classify bool     `json:"classify,omitempty"` // whole numbers to predict are classes
	Iters    int      `json:"iters"`              // the most that feature learning is iterated; default 5

	// PaperMode is the published procedure of the 121 sets: the metric that was
	// learned on the tuning split is used in all folds, whose test rows it has
	// seen.
	PaperMode bool `json:"paper_mode,omitempty"`

	Configs int    `json:"configs,omitempty"` // of the grinsztajn protocol, drawn by seed; default 20
	Repeats int    `json:"repeats,omitempty"` // splits of the grinsztajn protocol; default 3
	Size    string `json:"size,omitempty"`    // medium (default) or large, of the grinsztajn protocol

	Precision int    `json:"precision"` // 32 (default) or 64 bits
	Backend   string `json:"-"`
	Threads   int    `json:"-"` // tables and methods at a time; 0 is all cores
	Seed      uint64 `json:"seed"`
}

// The protocols, which have the names of the benchmarks that they are of.
const (
	uciProtocol        = "uci121"
	grinsztajnProtocol = "grinsztajn"
)

// The defaults of a spec.
const (
	defaultTabularIters = 5
	defaultConfigs      = 20
	defaultRepeats      = 3
	mediumSize          = "medium"
	largeSize           = "large"
)

func (s TabularSpec) withDefaults() TabularSpec {
	if s.Protocol == "" {
		s.Protocol = uciProtocol
		if s.Benchmark == grinsztajnProtocol {
			s.Protocol = grinsztajnProtocol
		}
	}
	if len(s.Methods) == 0 {
		s.Methods = []string{"rfm", "laplace", "ntk"}
	}
	s.Iters, s.Precision = cmp.Or(s.Iters, defaultTabularIters), cmp.Or(s.Precision, 32)
	if s.Protocol == grinsztajnProtocol {
		s.Configs, s.Repeats, s.Size = cmp.Or(s.Configs, defaultConfigs), cmp.Or(s.Repeats, defaultRepeats), cmp.Or(s.Size, mediumSize)
	}
	return s
}

// check refuses a spec that cannot be.
func (s TabularSpec) check() error {
	for _, c := range []struct {
		flag        string
		value, from int
	}{{"rows", s.Rows, 0}, {"iters", s.Iters, 1}, {"configs", s.Configs, 0}, {"repeats", s.Repeats, 0}, {"threads", s.Threads, 0}} {
		if c.value < c.from {
			return badInput("--%s %d: want at least %d", c.flag, c.value, c.from)
		}
	}
	switch s.Protocol {
	case uciProtocol:
		if s.Configs != 0 || s.Repeats != 0 || s.Size != "" {
			return badInput("--configs, --repeats and --size are of the grinsztajn protocol; that of the 121 sets takes its whole grid and four folds")
		}
	case grinsztajnProtocol:
		if s.PaperMode {
			return badInput("--paper-mode is of the protocol of the 121 sets: nothing is published to leak in the grinsztajn protocol")
		}
		if s.Size != mediumSize && s.Size != largeSize {
			return badInput("--size %q: want medium or large", s.Size)
		}
	default:
		return badInput("--protocol %q: want %s or %s", s.Protocol, uciProtocol, grinsztajnProtocol)
	}
	for i, m := range s.Methods {
		if findTabularMethod(m) == nil {
			return badInput("--methods: %q: want some of %s", m, strings.Join(TabularMethods(), ", "))
		}
		if slices.Contains(s.Methods[:i], m) {
			return badInput("--methods: %s is there twice", m)
		}
	}
	if _, err := parsePrecision(s.Precision); err != nil {
		return err
	}
	return checkBackend(s.Backend)
}

// name is the benchmark's, short.
func (s TabularSpec) name() string { return filepath.Base(s.Benchmark) }

// selects compiles the expression of the datasets.
func (s TabularSpec) selects() (func(name string) bool, error) {
	re, err := regexp.Compile(s.Datasets)
	if err != nil {
		return nil, badInput("--datasets %q is not a regular expression: %v", s.Datasets, err)
	}
	return re.MatchString, nil
}

// differences lists the settings in which a run that is to go on differs from
// the one that was begun.
func (s TabularSpec) differences(begun TabularSpec) []string { return changedSettings(s, begun) }
