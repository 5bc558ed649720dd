package tabular

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

func TestSpec(t *testing.T) {
	dir := tables(t)
	good := Spec{Benchmark: dir}
	for _, c := range []struct {
		change  func(s *Spec)
		message string
	}{
		{func(s *Spec) { s.Benchmark = filepath.Join(dir, "nowhere") }, "want uci121, grinsztajn or the path"},
		{func(s *Spec) { s.Benchmark = t.TempDir() }, "there are no tables"},
		{func(s *Spec) { s.Benchmark, s.Dir = "uci121", t.TempDir() }, "uci121"},
		{func(s *Spec) { s.Protocol = "mine" }, `--protocol "mine"`},
		{func(s *Spec) { s.Methods = []string{"rfm", "forest"} },
			`"forest": want some of rfm, laplace, ntk, ntk-svm, h-exponential`},
		{func(s *Spec) { s.Methods = []string{"rfm", "rfm"} }, "twice"},
		{func(s *Spec) { s.Datasets = "(" }, "not a regular expression"},
		{func(s *Spec) { s.Datasets = "nothing" }, "no table"},
		{func(s *Spec) { s.Rows = -1 }, "--rows -1"},
		{func(s *Spec) { s.Iters = -1 }, "--iters -1"},
		{func(s *Spec) { s.Configs = 5 }, "for the grinsztajn protocol"},
		{func(s *Spec) { s.Size = "large" }, "for the grinsztajn protocol"},
		{func(s *Spec) { s.Protocol, s.PaperMode = "grinsztajn", true }, "--paper-mode"},
		{func(s *Spec) { s.Protocol, s.Size = "grinsztajn", "huge" }, "medium or large"},
		{func(s *Spec) { s.Precision = 16 }, "--precision 16"},
		{func(s *Spec) { s.Backend = "abacus" }, "abacus"},
	} {
		s := good
		c.change(&s)
		if _, err := OpenBenchmark(s); !input.IsError(err) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%q: %v", c.message, err)
		}
	}
}

// The conventions say how support vector machines are solved, if there are any.
func TestSolverOfMethods(t *testing.T) {
	for _, protocol := range []string{UciProtocol, GrinsztajnProtocol} {
		for method, want := range map[string]bool{"ntk": false, "ntk-svm": true} {
			s := Spec{Protocol: protocol, Methods: []string{method}}.WithDefaults()
			if got := s.conventions().Solver; !strings.HasPrefix(got, "Cholesky") || strings.Contains(got, "coordinate ascent") != want {
				t.Errorf("%s, %s: %s", protocol, method, got)
			}
		}
	}
}
