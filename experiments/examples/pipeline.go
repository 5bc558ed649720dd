package examples

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/jsonfile"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// Pipeline turns examples into inputs. A model is saved with its pipeline, so that it reads new examples in the same way
// as those to which it was fitted.
type Pipeline struct {
	Table    *table.Encoder // nil for images
	TableSHA string         // the digest of the rows of the fitted table that have a target
	Images   *ImageInputs   // nil for tables
	Sphere   bool           // every input is divided by its norm
}

// ImageInputs says how images become inputs: the settings of a [Spec], and the constants of the normalisation.
type ImageInputs struct {
	Size      int    `json:"size,omitempty"`
	Fit       string `json:"fit,omitempty"`
	Grey      bool   `json:"grey,omitempty"`
	Classes   string `json:"classes,omitempty"`
	Normalise string `json:"normalise"`
	Constants string `json:"constants"` // as [data.Normalisation.String] writes them
}

// noNormalisation is the normalisation that leaves pixels in [0,1].
const noNormalisation = "none"

// savedPipeline is a pipeline as JSON.
type savedPipeline struct {
	Table    json.RawMessage `json:"table,omitempty"`
	TableSHA string          `json:"table_sha256,omitempty"`
	Images   *ImageInputs    `json:"images,omitempty"`
	Sphere   bool            `json:"unit_sphere,omitempty"`
}

// Text returns the pipeline as JSON.
func (p *Pipeline) Text() (string, error) {
	s := savedPipeline{TableSHA: p.TableSHA, Images: p.Images, Sphere: p.Sphere}
	var err error
	if p.Table != nil {
		if s.Table, err = json.Marshal(p.Table); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(s)
	return string(text), err
}

// ParsePipeline reads what [Pipeline.Text] wrote, and checks it.
func ParsePipeline(text string) (*Pipeline, error) {
	var s savedPipeline
	// A later version may have more fields, which cannot be ignored.
	if err := jsonfile.Decode([]byte(text), &s); err != nil {
		return nil, err
	}
	p := &Pipeline{TableSHA: s.TableSHA, Images: s.Images, Sphere: s.Sphere}
	if s.Table != nil && s.Images != nil {
		return nil, errors.New("want a table or images, not both")
	}
	if p.Images != nil {
		if _, err := data.ParseNormalisation(p.Images.Constants, nil); err != nil {
			return nil, err
		}
	}
	var err error
	if s.Table != nil {
		p.Table, err = table.ParseEncoder(s.Table)
	}
	return p, err
}

// Complete fills in the settings of images that the spec does not give by those of the pipeline. It returns an
// [*input.Error] if the spec's classes, fit, normalisation or unit sphere differ from the pipeline's.
func (p *Pipeline) Complete(s Spec) (Spec, error) {
	if s.Sphere && !p.Sphere {
		return s, input.Errorf("--unit-sphere: the model was fitted without it")
	}
	s.Sphere = p.Sphere
	was := p.Images
	if was == nil {
		return s, nil
	}
	if s.Classes != "" && s.Classes != was.Classes {
		return s, input.Errorf("--classes %s: the model was fitted %s: leave the flag out", s.Classes, was.classesText())
	}
	if s.Fit != "" && was.Fit != "" && s.Fit != was.Fit {
		return s, input.Errorf("--fit %s: the model was fitted with --fit %s: leave the flag out", s.Fit, was.Fit)
	}
	s.Classes, s.Fit = was.Classes, cmp.Or(s.Fit, was.Fit)
	// The shape of the images is compared with the model's once they are open.
	s.Grey, s.Size = s.Grey || was.Grey, cmp.Or(s.Size, was.Size)
	if s.Normalise == "" || s.Normalise == was.Normalise {
		s.Normalise = was.Constants
	}
	n, err := data.ParseNormalisation(s.Normalise, nil)
	if err != nil || n.String() != was.Constants {
		return s, input.Errorf("--normalise %s: the model was fitted to images normalised by %s: leave the flag out",
			s.Normalise, was.Constants)
	}
	return s, nil
}

// classesText says which classes a model was fitted to.
func (was *ImageInputs) classesText() string {
	if was.Classes == "" {
		return "to all classes"
	}
	return "with --classes " + was.Classes
}

// NewRows are rows to predict.
type NewRows struct {
	Description
	X        *mat.Dense // rows×features
	Labelled []int      // the rows that have a target
	Y        *mat.Dense // the targets of the labelled rows, nil if there are none
	IDs      []string   // the values of the column that names the rows; nil if none was asked for
	Notes    []string   // what was ignored, filled in or not known
	ReadAs   string     // as [table.Table.ReadAs]
}

// OpenRows opens the rows of a table for a model with this pipeline. The column id, "" for none, names the rows. Its
// errors are an [*input.Error].
func (p *Pipeline) OpenRows(s Spec, id string) (*NewRows, error) {
	if err := p.checkRowFlags(s); err != nil {
		return nil, err
	}
	if id != "" {
		s.CSV.Verbatim = []string{id}
	}
	t, err := s.openFile(s.Data, false)
	if err != nil {
		return nil, err
	}
	set, match, err := p.Table.Encode(t)
	if err != nil {
		return nil, &input.Error{Err: fmt.Errorf("%s: %w", s.Data, err)}
	}
	rows := &NewRows{Description: Description{Name: fileName(s.Data), Task: rfm.Regression, Features: set.Features,
		Classes: set.Classes, Unit: p.Table.Target.Unit(), Pipeline: *p}, X: set.X}
	rows.ReadAs = t.ReadAs
	if len(set.Classes) > 0 {
		rows.Task = rfm.Classification
	}
	if id != "" {
		if rows.IDs, err = t.Texts(id); err != nil {
			return nil, &input.Error{Err: fmt.Errorf("--id: %w", err)}
		}
		match.Extra = slices.DeleteFunc(match.Extra, func(name string) bool { return name == id })
	}
	rows.Notes = match.Notes()
	for _, n := range t.Notes {
		if t.Columns[t.Find(n.Column)].Kind == table.Numeric && !slices.Contains(match.Extra, n.Column) && n.Column != id {
			rows.Notes = append(rows.Notes, n.Column+": "+n.Text)
		}
	}
	if sha := rows.digestLabelled(set); sha != "" && sha == p.TableSHA {
		rows.Notes = append(rows.Notes, "these rows are those of the table of the fit: scores on them say little about new rows")
	}
	p.Table.Scale(set)
	if names := p.farColumns(set); names != nil {
		rows.Notes = append(rows.Notes, fmt.Sprintf("all values are over %d standard deviations from the mean of the training "+
			"rows, as in another unit or with another decimal mark (--decimal): %s", farAway, words.Some(names, shownNames)))
	}
	rows.addTargets(set)
	rows.Conventions.Inputs = describeScaling(p.Table.Scaling())
	if p.Sphere {
		rows.projectToSphere(rows.X)
	}
	return rows, nil
}

// farAway is the number of standard deviations from which on a value is hardly one of the same quantity.
const farAway = 20

// farColumns returns the numeric columns whose scaled values all lie far from those of the training rows.
func (p *Pipeline) farColumns(set *table.Set) (names []string) {
	if p.Table.Standard == nil {
		return nil
	}
	for j, column := range p.Table.FeatureColumns() {
		isNear := func(z float64) bool { return math.Abs(z) < farAway }
		if column == set.Features[j] && !slices.ContainsFunc(mat.Col(nil, j, set.X), isNear) {
			names = append(names, column)
		}
	}
	return names
}

// digestLabelled returns the digest of the rows that have a target, "" if none has.
func (r *NewRows) digestLabelled(set *table.Set) string {
	var labelled []int
	for i, v := range set.Y {
		if !math.IsNaN(v) {
			labelled = append(labelled, i)
		}
	}
	if len(labelled) == 0 {
		return ""
	}
	all := rfm.Examples{X: set.X, Y: table.Targets(set.Y)}
	if len(labelled) < len(set.Y) {
		all = rowsOf(all, labelled)
	}
	return r.digestRows(all)
}

// addTargets sets the targets of the rows that have one.
func (r *NewRows) addTargets(set *table.Set) {
	var y []float64
	for i, v := range set.Y {
		if !math.IsNaN(v) {
			r.Labelled, y = append(r.Labelled, i), append(y, v)
		}
	}
	if len(y) > 0 {
		r.Y = encodedTargets(&table.Set{Y: y, Classes: set.Classes})
	}
}

// checkRowFlags returns an input error if a flag contradicts the pipeline of a table.
func (p *Pipeline) checkRowFlags(s Spec) error {
	if err := s.checkKind(); err != nil {
		return err
	}
	scaling, err := s.scaling()
	if err != nil {
		return err
	}
	target, was := p.Table.Target, p.Table.Scaling()
	switch given := cmp.Or(s.Transform, s.Normalise); {
	case s.TestData != "":
		return input.Errorf("--test-data: give the rows to predict as --data")
	case s.Train != 0 || s.Test != 0:
		return input.Errorf("--train and --test: a model of a table predicts all rows of --data: leave them out")
	case s.Target != "" && s.Target != target.Name:
		return input.Errorf("--target %s: the model predicts %s", s.Target, target.Name)
	case s.Classify && len(target.Classes) == 0:
		return input.Errorf("--classify: the model predicts %s as a number: fit it again with the flag", target.Name)
	case given != "" && scaling != was:
		return input.Errorf("the model's features are scaled by --transform %s: leave the flag out", was)
	}
	return nil
}
