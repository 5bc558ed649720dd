package study

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/suggest"
)

// Catalogue is the list of experiments that a program knows, in the order in which it shows them.
type Catalogue []*Experiment

// Find returns the experiment with an ID. It returns an [*input.Error] if there is none.
func (c Catalogue) Find(id string) (*Experiment, error) {
	for _, e := range c {
		if e.ID == id {
			return e, nil
		}
	}
	return nil, input.Errorf("there is no experiment %q%s: ansatz list shows all", id, c.hint(id, c.ids()))
}

// hint returns a suggestion for an unknown name, such as " (did you mean A, B or C?)": the IDs whose last part is
// name, else the nearest of names. It is "" if there is none.
func (c Catalogue) hint(name string, names []string) string {
	var same []string
	for _, id := range c.ids() {
		if path.Base(id) == name {
			same = append(same, id)
		}
	}
	last := len(same) - 1
	switch {
	case last < 0:
		return suggest.Hint(name, names)
	case last == 0:
		return " (did you mean " + same[0] + "?)"
	}
	return " (did you mean " + strings.Join(same[:last], ", ") + " or " + same[last] + "?)"
}

// ids lists the experiments' IDs.
func (c Catalogue) ids() (all []string) {
	for _, e := range c {
		all = append(all, e.ID)
	}
	return all
}

// Papers returns the papers that the experiments belong to, in the order of the catalogue.
func (c Catalogue) Papers() []string {
	var all []string
	for _, e := range c {
		if !slices.Contains(all, e.Paper) {
			all = append(all, e.Paper)
		}
	}
	return all
}

// Selection selects experiments. The zero value selects all.
type Selection struct {
	// Names are IDs, papers, patterns of IDs as in [path.Match], or "all"; nil selects all.
	Names []string
	// Papers, Kinds and Attempted restrict the selection unless they are nil. For kinds see [Experiment.Kind].
	Papers, Kinds []string
	Attempted     *bool
}

// kinds lists what [Experiment.Kind] returns.
var kinds = []string{"figure", "table", "other"}

// Kind returns "figure", "table" or "other", by the ID of the experiment.
func (e *Experiment) Kind() string {
	switch name := path.Base(e.ID); {
	case strings.HasPrefix(name, "fig"):
		return "figure"
	case strings.HasPrefix(name, "table"):
		return "table"
	}
	return "other"
}

// Select returns the selected experiments, each once, in the order of the selection's names; exact reports whether
// every name is an ID. It returns an [*input.Error] for a name, a paper or a kind that matches nothing.
func (c Catalogue) Select(s Selection) (selected []*Experiment, exact bool, err error) {
	if err := c.check(s); err != nil {
		return nil, false, err
	}
	if s.Names == nil {
		return s.filter(c), false, nil
	}
	exact = true
	for _, name := range s.Names {
		found, isID, err := c.named(name)
		if err != nil {
			return nil, false, err
		}
		exact = exact && isID
		for _, e := range found {
			if !slices.Contains(selected, e) {
				selected = append(selected, e)
			}
		}
	}
	return s.filter(selected), exact, nil
}

// check returns an error for papers and kinds that do not exist.
func (c Catalogue) check(s Selection) error {
	for _, p := range s.Papers {
		if !slices.Contains(c.Papers(), p) {
			return input.Errorf("there is no paper %q: there are %s", p, strings.Join(c.Papers(), ", "))
		}
	}
	for _, k := range s.Kinds {
		if !slices.Contains(kinds, k) {
			return input.Errorf("there is no kind %q: there are %s", k, strings.Join(kinds, ", "))
		}
	}
	return nil
}

// named returns the experiments that a name matches, and whether the name is an ID.
func (c Catalogue) named(name string) ([]*Experiment, bool, error) {
	if e, err := c.Find(name); err == nil {
		return []*Experiment{e}, true, nil
	}
	var found []*Experiment
	for _, e := range c {
		matches, err := path.Match(name, e.ID)
		if err != nil {
			return nil, false, input.Errorf("%q is not a pattern: %w", name, err)
		}
		if matches || name == "all" || name == e.Paper {
			found = append(found, e)
		}
	}
	if found == nil {
		return nil, false, input.Errorf("there is no experiment %q%s: want an ID as ansatz list shows them, a paper "+
			"(%s), a pattern such as 'rfm/fig*', or all", name, c.hint(name, append(c.ids(), c.Papers()...)),
			strings.Join(c.Papers(), ", "))
	}
	return found, false, nil
}

// filter returns the experiments whose paper, kind and attempt match.
func (s Selection) filter(all []*Experiment) []*Experiment {
	kept := []*Experiment{} // not nil, which means all in [overview.CompareOptions]
	for _, e := range all {
		if (s.Papers == nil || slices.Contains(s.Papers, e.Paper)) &&
			(s.Kinds == nil || slices.Contains(s.Kinds, e.Kind())) &&
			(s.Attempted == nil || *s.Attempted == (e.Absent == "")) {
			kept = append(kept, e)
		}
	}
	return kept
}

// SortByCost sorts experiments by the estimated time of their default seeds at a scale: the shortest first, unknown
// times last. Experiments that show parts of one run stay together, the one that makes the run first.
func SortByCost(all []*Experiment, scale Scale) {
	costs := map[string]float64{}
	place := map[string]int{}
	for i, e := range all {
		id := e.Source().ID
		if _, seen := place[id]; !seen {
			place[id] = i
			costs[id] = sortKey(e.CostAt(scale), e.DefaultSeeds(scale))
		}
	}
	slices.SortStableFunc(all, func(a, b *Experiment) int {
		x, y := a.Source().ID, b.Source().ID
		if x == y {
			return cmp.Compare(viewRank(a), viewRank(b))
		}
		return cmp.Or(cmp.Compare(costs[x], costs[y]), cmp.Compare(place[x], place[y]))
	})
}

// sortKey returns the seconds that a number of seeds take, infinite if the time is not known.
func sortKey(c cost.Resources, seeds int) float64 {
	if c.Seconds == 0 {
		return math.Inf(1)
	}
	return c.Seconds * float64(seeds)
}

// viewRank returns 0 for an experiment with a run of its own, and 1 for one that shows a part of another's.
func viewRank(e *Experiment) int {
	if e.Of != nil {
		return 1
	}
	return 0
}
