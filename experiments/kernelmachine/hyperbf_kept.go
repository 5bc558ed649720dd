package kernelmachine

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// hyperMade is a method as it is kept: its record as JSON and, of the network that
// learns by the AGOP, the rows of its M.
type hyperMade struct {
	Record  []byte
	Learned []float64
}

// kept is what method finds, unless that is known from before the seed was interrupted.
func (h *HyperBF) kept(ctx context.Context, m hyperMethod, e *examples.Set, at HyperBFProgress, machine *mat.SymDense, progress func(HyperBFProgress)) (r *hyperFit, learned *mat.SymDense, err error) {
	made, err := study.Keep(h.Setting, "method of hyper basis functions", []any{h.key(), m.name, at.Seed}, func() (made hyperMade, err error) {
		if r, learned, err = h.method(ctx, m, e, at, machine, progress); err != nil || !h.Setting.HasCheckpoints() {
			return made, err
		}
		if learned != nil {
			made.Learned = learned.RawSymmetric().Data
		}
		made.Record, err = json.Marshal(r)
		return made, err
	})
	if err != nil || r != nil {
		return r, learned, err
	}
	r = &hyperFit{}
	if err := json.Unmarshal(made.Record, r); err != nil {
		return nil, nil, err
	}
	if made.Learned != nil {
		_, d := e.Train.X.Dims()
		learned = mat.NewSymDense(d, made.Learned)
	}
	return r, learned, nil
}

// key is the settings, wherever the data is.
func (h *HyperBF) key() HyperBFSpec {
	s := h.spec
	s.Dir = ""
	return s
}

// hyperTry is what came of a setting.
type hyperTry struct {
	Iteration  int        // the one that was selected
	Validation rfm.Scores // of it
	Validated  bool       // there are validation examples
	Failed     string     // why there is none of these, where there are other settings

	record *hyperFit // nil if this was kept from before the seed was interrupted
}

// try fits a setting, unless it is known what comes of it.
func (h *HyperBF) try(ctx context.Context, m hyperMethod, s hyperSetting, e *examples.Set) (hyperTry, error) {
	at := []any{h.key(), m.name, s.HyperBFSetting, s.network.Seed}
	return study.Keep(h.Setting, "hyper basis functions", at, func() (t hyperTry, err error) {
		t.record, err = s.fit(ctx, h.Setting, m.name, e)
		var diverged *rfm.DivergedError
		var input *rfm.InputError
		if (errors.As(err, &diverged) || errors.As(err, &input)) && len(m.settings) > 1 {
			return hyperTry{Failed: err.Error()}, nil
		}
		if err == nil {
			t.Iteration, t.Validation = t.record.Iterations[t.record.Selected].Iteration, t.record.validation
			t.Validated = t.record.Iterations[t.record.Selected].ValidationMSE != nil
		}
		return t, err
	})
}

// trial is how a comparison shows it.
func (t hyperTry) trial(s hyperSetting, e *examples.Set) HyperBFTrial {
	out := HyperBFTrial{HyperBFSetting: s.HyperBFSetting, Iteration: t.Iteration, Failed: t.Failed}
	if t.Validated {
		out.ValidationAccuracy, out.ValidationMSE, _ = scoresRecord(t.Validation, e.Unit)
	}
	return out
}
