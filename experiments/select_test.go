package experiments

import (
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// SortByCost puts the cheapest experiment first and those of unknown cost last. An experiment that shows a part of
// another one comes directly behind it.
func TestSortByCost(t *testing.T) {
	base, _ := All().Find("rfm/fig11")
	cheap, _ := All().Find("rfm/tutorial")
	view := &study.Experiment{ID: "rfm/view", Of: base}
	unknown := &study.Experiment{ID: "rfm/unknown", Specs: map[study.Scale]study.Spec{}}
	all := []*study.Experiment{unknown, view, base, cheap}
	study.SortByCost(all, study.Small)
	if got := strings.Join(idsOf(all), " "); got != "rfm/tutorial rfm/fig11 rfm/view rfm/unknown" {
		t.Error(got)
	}
}

func TestSelect(t *testing.T) {
	for _, c := range []struct {
		names []string
		exact bool
		want  []string // in the order in which they have to be found, among others
		not   string
	}{
		{[]string{"rfm/fig9", "rfm/fig1", "rfm/fig9"}, true, []string{"rfm/fig9", "rfm/fig1"}, "rfm/fig2"},
		{[]string{"theory"}, true, []string{"theory"}, "rfm/fig1"},
		{[]string{"ntk"}, false, []string{"ntk/fig2", "ntk/table1", "ntk/kernel"}, "theory"},
		{[]string{"energy/table*", "rfm/fig1"}, false, []string{"energy/table1", "energy/table4", "rfm/fig1"}, "energy/fig3"},
		{[]string{"all"}, false, []string{"cnfa/fig3", "rfm/fig1", "theory"}, "all"},
		{nil, false, []string{"cnfa/fig3", "rfm/fig1", "theory"}, "all"},
	} {
		got, exact, err := All().Select(study.Selection{Names: c.names})
		ids := idsOf(got)
		if err != nil || exact != c.exact || slices.Contains(ids, c.not) {
			t.Errorf("%q: %q, exact %t, %v", c.names, ids, exact, err)
		}
		last := -1
		for _, id := range c.want {
			i := slices.Index(ids, id)
			if i <= last {
				t.Errorf("%q: %s is not where it should be in %q", c.names, id, ids)
			}
			last = i
		}
		if slices.Sort(ids); len(slices.Compact(slices.Clone(ids))) != len(ids) {
			t.Errorf("%q: one comes twice in %q", c.names, ids)
		}
	}
	for _, name := range []string{"nothere", "rfm/", "rfm/fig[", ""} {
		if _, _, err := All().Select(study.Selection{Names: []string{name}}); !input.IsError(err) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestSelectFilters(t *testing.T) {
	no, yes := false, true
	for _, s := range []study.Selection{{Papers: []string{"ntk"}, Kinds: []string{"table"}, Attempted: &yes}, {Attempted: &no}, {Kinds: []string{"other", "figure"}}} {
		got, _, err := All().Select(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range All() {
			want := (s.Papers == nil || slices.Contains(s.Papers, e.Paper)) && (s.Kinds == nil || slices.Contains(s.Kinds, e.Kind())) && (s.Attempted == nil || *s.Attempted == (e.Absent == ""))
			if slices.Contains(idsOf(got), e.ID) != want {
				t.Errorf("%+v: %s", s, e.ID)
			}
		}
	}
	for _, s := range []study.Selection{{Papers: []string{"nature"}}, {Kinds: []string{"poem"}}} {
		if _, _, err := All().Select(s); !input.IsError(err) || !strings.Contains(err.Error(), "there are") {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for id, kind := range map[string]string{"a/fig1": "figure", "a/table2": "table", "a/kernel": "other", "theory": "other"} {
		if got := (&study.Experiment{ID: id}).Kind(); got != kind {
			t.Errorf("%s is a %s, not a %s", id, got, kind)
		}
	}
}

func idsOf(all []*study.Experiment) []string {
	var ids []string
	for _, e := range all {
		ids = append(ids, e.ID)
	}
	return ids
}
