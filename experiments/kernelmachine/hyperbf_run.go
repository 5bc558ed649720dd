package kernelmachine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// HyperBFRecord is the record of a network of hyper basis functions, as scripts read it. An iteration of
// gradient descent consists of several steps.
type HyperBFRecord struct {
	RFMRecord
	Method string         `json:"method"` // rfm, agop, gd or gd+centres
	Seed   uint64         `json:"seed"`
	Chosen HyperBFSetting `json:"chosen"`
	// Tried holds all settings, if there are several. Chosen is the best of them.
	Tried []HyperBFTrial `json:"tried,omitempty"`
	// Alike compares M = WᵀW of the last iteration with AGOPs. It is nil if M is learned by the AGOP.
	Alike       []HyperBFSimilarity `json:"alike,omitempty"`
	Losses      []float64           `json:"losses,omitempty"` // H/n before every gradient step
	Conventions HyperBFConventions  `json:"conventions"`
}

// HyperBFFit is a comparison. If it has only one run, it holds the fitted network.
type HyperBFFit struct {
	HyperBFComparison

	single *networkFit
}

// networkFit is a record with the fitted network.
type networkFit struct {
	HyperBFRecord
	fittedModel

	validation  rfm.Scores // of the selected iteration
	first, last *rfm.Model // of the first and the last iteration
}

// HyperBFTrial is a setting with the scores of its selected iteration.
type HyperBFTrial struct {
	HyperBFSetting
	Iteration          int      `json:"iteration"`
	ValidationAccuracy *float64 `json:"validation_accuracy,omitempty"`
	ValidationMSE      *float64 `json:"validation_mse,omitempty"`
	Failed             string   `json:"failed,omitempty"`
}

// HyperBFSimilarity compares M or M − I with an AGOP over the training examples. Its null is the AGOP
// rotated at random.
type HyperBFSimilarity struct {
	// AGOP is own (of the network itself), first (of the network before its first step), machine
	// (the last M of the network that learns by the AGOP), or covariance (of the training examples: a
	// control, not an AGOP).
	AGOP string `json:"agop"`
	// MinusStart says that M − I is compared, not M.
	MinusStart bool `json:"minus_start"`
	similarity.Record
}

// HyperBFProgress is the state of a comparison.
type HyperBFProgress struct {
	Method  string
	Seed    int // from 0
	Setting int // from 0
	Of      int // settings of the method
	rfm.Progress
}

// Run fits all networks and tests every iteration. Progress may be nil.
func (h *HyperBF) Run(ctx context.Context, progress func(HyperBFProgress)) (*HyperBFFit, error) {
	out := &HyperBFFit{HyperBFComparison: HyperBFComparison{Data: h.Examples.Name, Update: h.spec.Update}}
	for k := range h.spec.Seeds {
		e := h.examplesOfSeed(k)
		var machine *mat.SymDense
		for _, m := range h.methods {
			r, learned, err := h.fitMethodOnce(ctx, m, e,
				HyperBFProgress{Method: m.name, Seed: k, Of: len(m.settings)}, machine, progress)
			if err != nil {
				return nil, err
			}
			if learned != nil {
				machine = learned
			}
			record := r.HyperBFRecord
			out.Runs, out.single = append(out.Runs, &record), r
		}
	}
	if len(out.Runs) > 1 {
		out.single = nil
	}
	out.summariseSeeds()
	return out, nil
}

// fitMethod fits a method and compares its M with machine, the M of the network that learns by the AGOP.
// For that network itself, learned is its M.
func (h *HyperBF) fitMethod(
	ctx context.Context, m hyperMethod, e *examples.Set, at HyperBFProgress,
	machine *mat.SymDense, progress func(HyperBFProgress),
) (r *networkFit, learned *mat.SymDense, err error) {
	if r, err = h.fitSettings(ctx, m, e, at, progress); err != nil {
		return nil, nil, err
	}
	if h.in.Dry() {
		return r, nil, h.addComparison(m, e)
	}
	if m.name == rfm.ByAGOP.String() && len(r.Iterations) > 1 {
		learned = r.last.Metric().Dense()
		machine = learned
	}
	if err := r.compareWith(ctx, machine); err != nil {
		return nil, nil, err
	}
	r.first, r.last = nil, nil
	return r, learned, nil
}

// fitSettings fits a method with all its settings and returns the best fit.
func (h *HyperBF) fitSettings(
	ctx context.Context, m hyperMethod, e *examples.Set, at HyperBFProgress, progress func(HyperBFProgress),
) (*networkFit, error) {
	var best *settingResult
	var chosen hyperSetting
	var tried []HyperBFTrial
	for i, s := range m.settings {
		at.Setting = i
		s.network.Seed = h.spec.Seed + uint64(at.Seed)
		s.network.Progress = func(p rfm.Progress) {
			if at.Progress = p; progress != nil {
				progress(at)
			}
		}
		t, err := h.fitSettingOnce(ctx, m, s, e)
		if err != nil {
			return nil, err
		}
		tried = append(tried, t.newTrial(s, e))
		if t.Failed == "" && (best == nil || t.Validation.Better(best.Validation)) {
			best, chosen = &t, s
		}
	}
	if best == nil {
		return nil, input.Errorf("%s failed with every setting; with the last: %s", m.name, tried[len(tried)-1].Failed)
	}
	r, err := best.record, error(nil)
	if r == nil { // the checkpoint has only the scores
		if r, err = chosen.fit(ctx, h.in, m.name, e); err != nil {
			return nil, err
		}
	}
	if r.Method = m.name; len(tried) > 1 {
		r.Tried = tried
	}
	r.Conventions = h.conventions(m, &r.HyperBFRecord, e)
	return r, nil
}

// fit fits the network of a method and tests it.
func (s hyperSetting) fit(ctx context.Context, in study.Setting, method string, e *examples.Set) (*networkFit, error) {
	n := s.network
	n.Task = e.Task
	r := &networkFit{fittedModel: fittedModel{examples: e}}
	r.HyperBFRecord = HyperBFRecord{RFMRecord: newRFMRecord(e, n.Kernel), Seed: n.Seed, Chosen: s.HyperBFSetting}
	n.Stepped = func(_ int, loss float64) error {
		r.Losses = append(r.Losses, loss)
		return nil
	}
	n.Each = func(it *rfm.Iteration) error { return r.addIteration(ctx, in, it, n.Progress) }
	start := time.Now()
	var err error
	r.model, err = in.FitHyperBF(ctx, method, n, e.Train)
	var memory *rfm.MemoryError
	if errors.As(err, &memory) {
		err = input.Errorf("%w: take fewer examples (--train) or, for gradient descent, a smaller --batch", err)
	}
	r.Seconds = time.Since(start).Seconds()
	return r, err
}

// addIteration tests the model of an iteration and adds its record. It does not keep the metrics, which
// would take too much memory.
func (r *networkFit) addIteration(ctx context.Context, in study.Setting, it *rfm.Iteration,
	progress func(rfm.Progress)) error {
	rec, err := newIterationRecord(r.examples, it, progress, func(m *rfm.Model) (rfm.Scores, error) {
		return in.Score(ctx, m, r.examples.Test)
	})
	if err != nil {
		return err
	}
	r.Iterations = append(r.Iterations, rec)
	if r.last = it.Model(); it.Index == 0 {
		r.first = r.last
	}
	switch {
	case it.Validation == nil:
		r.Selected = it.Index
	case it.Index == 0 || it.Validation.Better(r.validation):
		r.Selected, r.validation = it.Index, *it.Validation
	}
	return nil
}

// compareWith compares the M of gradient descent with the AGOPs of the first and the last iteration, with the
// covariance of the examples and, unless nil, with machine, the M of the network that learns by the AGOP.
func (r *networkFit) compareWith(ctx context.Context, machine *mat.SymDense) error {
	if len(r.Losses) == 0 {
		return nil
	}
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, r.examples.Train.X, nil)
	agops := []*mat.SymDense{nil, nil, machine, &covariance}
	for i, m := range []*rfm.Model{r.last, r.first} {
		a, err := m.AGOP(ctx, r.examples.Train.X, false)
		if err != nil {
			return err
		}
		agops[i] = a.Dense()
	}
	m := r.last.Metric().Dense()
	change := similarity.MinusIdentity(m)
	for i, a := range agops {
		if a != nil {
			name := []string{"own", "first", "machine", "covariance"}[i]
			r.Alike = append(r.Alike, HyperBFSimilarity{AGOP: name, Record: similarity.Compare(a, m)},
				HyperBFSimilarity{AGOP: name, MinusStart: true, Record: similarity.Compare(a, change)})
		}
	}
	return nil
}

// addComparison adds the job of compareWith in a dry run: the AGOPs of the network before and after its
// descent, which cost as much as those of a machine with two iterations.
func (h *HyperBF) addComparison(m hyperMethod, e *examples.Set) error {
	if m.settings[0].network.Update == rfm.ByAGOP {
		return nil
	}
	n, holdout := linalg.RowCount(e.Train.X), cmp.Or(h.spec.Holdout, rfm.DefaultHoldout)
	return h.in.AddJob(workload.MachineSize{
		Train: n - int(holdout*float64(n)), Inputs: linalg.ColumnCount(e.Train.X),
		Outputs: linalg.ColumnCount(e.Train.Y), Iterations: 2,
	}.Job(), nil)
}

// methodResult is the checkpoint of a method: its record as JSON and, for the network that learns by the
// AGOP, its M, row by row.
type methodResult struct {
	Record  []byte
	Learned []float64
}

// fitMethodOnce returns the result of fitMethod, from the checkpoint if the seed was interrupted.
func (h *HyperBF) fitMethodOnce(
	ctx context.Context, m hyperMethod, e *examples.Set, at HyperBFProgress,
	machine *mat.SymDense, progress func(HyperBFProgress),
) (r *networkFit, learned *mat.SymDense, err error) {
	made, err := study.Keep(h.in, "method of hyper basis functions", []any{h.checkpointKey(), m.name, at.Seed},
		func() (made methodResult, err error) {
			if r, learned, err = h.fitMethod(ctx, m, e, at, machine, progress); err != nil ||
				!h.in.HasCheckpoints() {
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
	r = &networkFit{}
	if err := json.Unmarshal(made.Record, r); err != nil {
		return nil, nil, err
	}
	if made.Learned != nil {
		_, d := e.Train.X.Dims()
		learned = mat.NewSymDense(d, made.Learned)
	}
	return r, learned, nil
}

// checkpointKey returns the settings without the folder of the data.
func (h *HyperBF) checkpointKey() HyperBFSpec {
	s := h.spec
	s.Dir = ""
	return s
}

// settingResult is the result of fitting one setting.
type settingResult struct {
	Iteration  int        // that was selected
	Validation rfm.Scores // of that iteration
	Validated  bool       // there are validation examples
	Failed     string     // why there are no scores

	record *networkFit // nil if the result is from a checkpoint
}

// fitSettingOnce fits a setting, or returns its result from the checkpoint.
func (h *HyperBF) fitSettingOnce(
	ctx context.Context, m hyperMethod, s hyperSetting, e *examples.Set,
) (settingResult, error) {
	at := []any{h.checkpointKey(), m.name, s.HyperBFSetting, s.network.Seed}
	return study.Keep(h.in, "hyper basis functions", at, func() (t settingResult, err error) {
		t.record, err = s.fit(ctx, h.in, m.name, e)
		var diverged *rfm.DivergedError
		var input *rfm.InputError
		if (errors.As(err, &diverged) || errors.As(err, &input)) && len(m.settings) > 1 {
			return settingResult{Failed: err.Error()}, nil
		}
		if err == nil {
			t.Iteration, t.Validation = t.record.Iterations[t.record.Selected].Iteration, t.record.validation
			t.Validated = t.record.Iterations[t.record.Selected].ValidationMSE != nil
		}
		return t, err
	})
}

// newTrial returns the result in the form of a record.
func (t settingResult) newTrial(s hyperSetting, e *examples.Set) HyperBFTrial {
	out := HyperBFTrial{HyperBFSetting: s.HyperBFSetting, Iteration: t.Iteration, Failed: t.Failed}
	if t.Validated {
		out.ValidationAccuracy, out.ValidationMSE, _ = scoresRecord(t.Validation, e.Unit)
	}
	return out
}
