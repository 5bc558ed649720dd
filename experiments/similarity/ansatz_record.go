package similarity

import (
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// AnsatzRecord is the ansatz for one CNFM. Undefined measures are absent, and Undefined says why.
type AnsatzRecord struct {
	Pearson       *float64 `json:"pearson,omitempty"`
	PearsonStdErr *float64 `json:"pearson_stderr,omitempty"`
	PearsonNull   *float64 `json:"pearson_null,omitempty"`
	PearsonNullSD *float64 `json:"pearson_null_sd,omitempty"`
	NullDraws     int      `json:"null_draws,omitempty"`
	Excess        *float64 `json:"excess,omitempty"`
	Cosine        *float64 `json:"cosine,omitempty"`
	PearsonSqrt   *float64 `json:"pearson_sqrt,omitempty"`
	// Powers are the similarities of the CNFM and AGOP^α, if they were requested.
	Powers    []PowerRecord `json:"powers,omitempty"`
	CNFMTrace *float64      `json:"cnfm_trace,omitempty"`
	AGOPTrace *float64      `json:"agop_trace,omitempty"`
	// NullKind is "permutation" if the null permutes S among groups of one filter, and absent if it rotates S.
	NullKind string `json:"null_kind,omitempty"`
	// NotJudged says why the similarity cannot be compared with such a null, if that is the case.
	NotJudged string `json:"not_judged,omitempty"`
	Undefined string `json:"undefined,omitempty"`
}

// PowerRecord is the similarity of the CNFM and AGOP^α, with its null.
type PowerRecord struct {
	Exponent      float64 `json:"exponent"` // α
	Pearson       float64 `json:"pearson"`
	PearsonNull   float64 `json:"pearson_null"`
	PearsonNullSD float64 `json:"pearson_null_sd"`
}

// NormalisedExcess returns the similarity's excess over its null, normalised by [NormaliseExcess]; NaN if it is
// undefined.
func (l AnsatzRecord) NormalisedExcess() float64 {
	return NormaliseExcess(record.ValueOrNaN(l.Pearson), record.ValueOrNaN(l.PearsonNull))
}

// Power returns the similarity of the CNFM and AGOP^α and the mean of its null; NaN if it was not measured. α = 1 is
// always measured.
func (l AnsatzRecord) Power(alpha float64) PowerRecord {
	if alpha == 1 {
		return PowerRecord{1, record.ValueOrNaN(l.Pearson), record.ValueOrNaN(l.PearsonNull),
			record.ValueOrNaN(l.PearsonNullSD)}
	}
	for _, p := range l.Powers {
		if p.Exponent == alpha {
			return p
		}
	}
	return PowerRecord{alpha, math.NaN(), math.NaN(), math.NaN()}
}

// leastNullSD is the least standard deviation of a null that varies.
const leastNullSD = 1e-9

// Above reports whether the similarity lies above its null. Ok is false if the similarity is undefined, or if the null
// hardly varies: one filter, or an isotropic S.
func (l AnsatzRecord) Above() (above, ok bool) {
	return aboveNull(l.Excess, l.PearsonNullSD, l.PearsonStdErr)
}

// aboveNull reports whether an excess exceeds [NullDeviations] standard deviations of null and measurement combined.
// Ok is false if the excess is undefined, or if the null hardly varies. A missing standard error counts as 0.
func aboveNull(excess, nullSD, stderr *float64) (above, ok bool) {
	if excess == nil || nullSD == nil || *nullSD < leastNullSD {
		return false, false
	}
	noise := *nullSD
	if stderr != nil {
		noise = math.Hypot(noise, *stderr)
	}
	return *excess > NullDeviations*noise, true
}

// Cells returns the similarity, its null, the excess and the normalised excess.
func (l AnsatzRecord) Cells() []report.Cell {
	mark := report.Muted
	if above, _ := l.Above(); above {
		mark = report.Good
	}
	return []report.Cell{
		record.NumberCell(l.Pearson, "%.3f"), record.NumberCell(l.PearsonStdErr, "%.4f"),
		record.NumberCell(l.PearsonNull, "%.3f"), record.NumberCell(l.PearsonNullSD, "%.3f"),
		record.MarkedCell(record.NumberCell(l.Excess, "%+.3f"), mark),
		record.DefinedCell(l.NormalisedExcess(), "%+.2f"),
	}
}

// NullDeviations is the number of standard deviations, of the null's draws and of the measurement combined, by which a
// similarity must exceed its null to count as alignment.
const NullDeviations = 2

// AboveText says how many of all layers that can be judged lie above their null.
func AboveText(above, judged int) string {
	return words.Of(above, judged, "layer", "lies above its null", "lie above their null")
}

// spread returns the standard deviation of the draws of a null, nil for a single draw, which has none.
func spread(sd float64, draws int) *float64 {
	if draws == 1 {
		return nil
	}
	return &sd
}

// NewAnsatzRecord returns the measures of a layer, or the reason why they are undefined.
func NewAnsatzRecord(a cnfa.Ansatz) AnsatzRecord {
	if a.Err != nil {
		return AnsatzRecord{Undefined: a.Err.Error()}
	}
	r := AnsatzRecord{
		Pearson: record.Ptr(a.Pearson), Cosine: record.Ptr(a.Cosine), PearsonSqrt: record.Ptr(a.PearsonSqrt),
		PearsonNull: record.Ptr(a.PearsonNull), PearsonNullSD: spread(a.PearsonNullSD, a.NullDraws), NullDraws: a.NullDraws,
		Excess:    record.Ptr(a.Excess()),
		CNFMTrace: record.Ptr(a.CNFMTrace), AGOPTrace: record.Ptr(a.AGOPTrace),
	}
	if a.Null == cnfa.Permutation {
		r.NullKind = "permutation"
		if sd := r.PearsonNullSD; sd != nil && *sd < leastNullSD {
			r.NotJudged = "permuting S among the channels does not change the similarity"
		}
	}
	for _, p := range a.Powers {
		r.Powers = append(r.Powers, PowerRecord{p.Exponent, p.Pearson, p.PearsonNull, p.PearsonNullSD})
	}
	if !math.IsNaN(a.PearsonStdErr) {
		r.PearsonStdErr = record.Ptr(a.PearsonStdErr)
	}
	return r
}
