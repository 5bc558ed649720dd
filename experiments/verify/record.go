package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// Verified is a record together with the network and the images it was measured on, so that
// [Verified.Save] can draw pictures of them.
type Verified struct {
	Record

	of *Verification
	// Result is the measurement at every layer, with matrices that the record does not store.
	Result *cnfa.Verification `json:"-"`
}

// Run measures the ansatz at the chosen layers. Progress may be nil.
func (v *Verification) Run(ctx context.Context, progress func(cnfa.Progress)) (*Verified, error) {
	o := v.Options
	o.Progress, o.Memory = progress, record.AvailableMemory()
	start := time.Now()
	result, err := cnfa.Verify(ctx, v.Net, v.Source.Loader, o)
	if err != nil {
		return nil, err
	}
	return v.newRecord(result, time.Since(start).Seconds()), nil
}

// Record is the result of a verification as record.json stores it.
type Record struct {
	Arch   string `json:"arch"`
	Form   string `json:"form,omitempty"` // the variant, if several networks have this name
	Data   string `json:"data"`
	Images int    `json:"images"`
	// of the labelled images, if their classes are as many as the network's
	Accuracy    *float64    `json:"accuracy,omitempty"`
	Seconds     float64     `json:"seconds"`
	Conventions Conventions `json:"conventions"`
	// Powers are the exponents α, besides 1, for which AGOP^α is compared.
	Powers []float64     `json:"powers,omitempty"`
	Layers []LayerRecord `json:"layers"`

	page    record.PageData
	remarks []string // what could not be measured, and why
}

// LayerRecord is the ansatz at one layer.
type LayerRecord struct {
	Layer   string `json:"layer"`
	Kind    string `json:"kind"`
	Filters int    `json:"filters"`
	Patch   []int  `json:"patch"`  // of the channels of one group
	Groups  int    `json:"groups"` // of a convolution, 1 for other layers
	similarity.AnsatzRecord
	PearsonInit *float64 `json:"pearson_init,omitempty"`
	// Alignments are those of the requested statements.
	Alignments []similarity.AlignmentRecord `json:"alignments,omitempty"`
	Heads      []HeadRecord                 `json:"heads,omitempty"`
}

// HeadRecord is the ansatz at one head of a layer of an attention.
type HeadRecord struct {
	Head int `json:"head"` // from 0
	similarity.AnsatzRecord
	PearsonInit *float64 `json:"pearson_init,omitempty"`
}

// Conventions describes all that a similarity depends on besides the network.
type Conventions struct {
	Similarity string `json:"similarity" fact:"similarity"`
	CNFM       string `json:"cnfm" fact:"CNFM"`
	AGOP       string `json:"agop" fact:"AGOP"`
	Outputs    string `json:"outputs" fact:"outputs"`
	Null       string `json:"null" fact:"null"`
	StdErr     string `json:"stderr" fact:"standard error"`
	Init       string `json:"pearson_init" fact:"initial"`
	Statements string `json:"alignments,omitempty" fact:"statements"`
	Images     string `json:"images" fact:"images"`
	Normalise  string `json:"normalise" fact:"normalisation"`
	Mode       string `json:"mode" fact:"mode"`
	Network    string `json:"network,omitempty" fact:"network"` // remarks on the network
	record.RunConventions
}

// setConventions fills in v.Conv.
func (v *Verification) setConventions() error {
	set := data.Head(v.Source.Dataset, v.Options.Images)
	info, err := data.Describe(set)
	if err != nil {
		return &input.Error{Err: err}
	}
	c := &v.Conv
	c.RunConventions = record.NewRunConventions(input.PrecisionText(v.Options.Precision), v.spec.Backend,
		v.Options.Threads, v.spec.Seed)
	c.DataSHA256 = info.SHA256
	c.Similarity = "Pearson's correlation of all d² elements; the cosine is not centred; AGOP^0.5 is the correlation with AGOP^½"
	c.CNFM = "WᵀW, patches in the order (channel, row, column)"
	if v.spec.MinusInit {
		c.CNFM = cnfmOfChange + ", patches in the order (channel, row, column)"
	}
	c.AGOP = "(1/images) Σ over images, positions and outputs of ggᵀ; patches at the border are padded with " +
		"zeros; outputs are logits"
	c.Outputs = fmt.Sprintf("all %d", v.Net.Classes)
	if p := v.Options.Probes; p > 0 {
		c.Outputs = fmt.Sprintf("%d Gaussian probes an image for %d outputs", p, v.Net.Classes)
	}
	c.Null = fmt.Sprintf("S replaced by QSQᵀ, Q a random rotation, over %d draws; at most %d in layers that have both %d or "+
		"more filters and as many patch elements",
		cmp.Or(v.Options.NullDraws, cnfa.DefaultNullDraws), cnfa.WideDraws, cnfa.WideLayer)
	if v.Options.Alignments != nil {
		c.Statements = "Pearson's correlation of all elements of the two matrices; sums over images and positions, not " +
			"centred; the loss is the cross-entropy of each image; the null replaces the left or right singular vectors of W " +
			"by random directions; " + fmt.Sprintf("fact, bfact, input-covariance, those of the CRH but %s, and the "+
			"commutator have at most %d draws of it, and standard errors from at most %d sets of images",
			cnfa.BackGWA, cnfa.CrossedDraws, cnfa.CrossedSets)
		if v.spec.MinusInit {
			c.Statements += "; of W, not of W − W₀"
		}
	}
	c.Images = fmt.Sprintf("the first %d%s, %s", v.Options.Images, input.OfSplit(info.Split), v.Source.Order)
	v.describeBlocks(c)
	c.Normalise = input.NormalisationText(v.Source.Loader.Normalisation)
	c.Mode = "evaluation: batch norm by running statistics, no dropout"
	c.Network = strings.Join(v.arch.Notes, " ")
	return nil
}

func (v *Verification) newRecord(r *cnfa.Verification, seconds float64) *Verified {
	out := &Verified{of: v, Result: r}
	out.Record = Record{
		Arch: v.arch.Name, Form: v.arch.Form, Data: v.Source.Dataset.Name(), Images: r.Images, Seconds: seconds,
		Conventions: v.Conv,
		page:        record.NewPageData(),
	}
	if r.Labelled > 0 {
		out.Accuracy = record.Ptr(float64(r.Correct) / float64(r.Labelled))
	}
	switch classes := len(v.Source.Dataset.Classes()); {
	case classes > 0 && classes != v.Net.Classes:
		out.remarks = append(out.remarks, fmt.Sprintf("Accuracy is not shown: the network has %s, the dataset %s.",
			words.Count(v.Net.Classes, "output"), words.Count(classes, "class")))
	case classes > 0 && v.Options.IgnoreLabels:
		out.remarks = append(out.remarks, "Accuracy is not shown: the network was trained on other classes than those of the dataset.")
	}
	if v.Options.FreshInitial && slices.Contains(v.Options.Alignments, cnfa.CentredNFA) {
		out.remarks = append(out.remarks, cnfa.CentredNFA+" (of W − W₀) is not measured: it needs the weights before training "+
			"(--init-weights).")
	}
	out.Conventions.Backend = r.Backend
	out.Conventions.Batch = r.Batch
	out.Conventions.StdErr = "none: there is one group of images"
	if r.Groups > 1 {
		out.Conventions.StdErr = fmt.Sprintf("jackknife over %d groups of images; for powers of the AGOP over at most "+
			"as many sets of groups as the null has draws", r.Groups)
	}
	for _, l := range r.Layers {
		out.Layers = append(out.Layers, NewLayerRecord(l))
	}
	return out
}

// NewLayerRecord returns the record of a layer.
func NewLayerRecord(l cnfa.LayerResult) LayerRecord {
	r := LayerRecord{
		Layer: l.Name, Kind: l.Kind, Filters: l.Filters, Patch: l.Patch,
		AnsatzRecord: similarity.NewAnsatzRecord(l.Ansatz), PearsonInit: l.PearsonInit,
	}
	r.Groups = l.Blocks()
	r.Alignments = similarity.NewAlignmentRecords(l.Alignments)
	for i, h := range l.Heads {
		r.Heads = append(r.Heads, HeadRecord{i, similarity.NewAnsatzRecord(h.Ansatz), h.PearsonInit})
	}
	return r
}
