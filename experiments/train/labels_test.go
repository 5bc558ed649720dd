package train

import (
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
)

// Each part of a class becomes a class of its own. Its images are of the original class unless the labels are random.
// The same seed gives the same labels.
func TestSplitLabels(t *testing.T) {
	set, err := data.Open("glyphs", data.Options{Split: "train", Count: 600})
	if err != nil {
		t.Fatal(err)
	}
	truth, err := data.Labels(set)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"split:3", "split:3:random"} {
		l, err := parseLabelling(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := splitLabels(set, l, 7)
		if err != nil {
			t.Fatal(err)
		}
		labels, err := data.Labels(got)
		if err != nil || len(got.Classes()) != 30 || got.Classes()[4] != set.Classes()[1]+", part 2" {
			t.Fatalf("%s: %q, %v", text, got.Classes(), err)
		}
		var kept int
		used := map[int]bool{}
		for i, label := range labels {
			used[label] = true
			if label/3 == truth[i] {
				kept++
			}
		}
		if want := l.shuffled; (kept < len(truth)) != want || len(used) != 30 {
			t.Errorf("%s: %d of %d images are in a part of their class, %d parts", text, kept, len(truth), len(used))
		}
		again, err := splitLabels(set, l, 7)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := data.Labels(again); err != nil || !slices.Equal(same, labels) {
			t.Errorf("%s: other labels by the same seed, %v", text, err)
		}
	}
	for _, text := range []string{"split", "split:1", "split:1001", "split:x", "split:3:true", "split:3:random:"} {
		if _, err := parseLabelling(text); !input.IsError(err) || !strings.Contains(err.Error(),
			"split:K[:random]") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
