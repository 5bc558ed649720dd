package catalogue_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/catalogue"
)

var papers = []string{"cnfa", "rfm", "hyperbf", "energy", "ntk"}

// inNoPaper lists the sets that none of the papers uses.
var inNoPaper = []string{"deadleaves", "fashionmnist", "glyphs", "heads", "streetdigits"}

func TestEveryDatasetOfThePapersIsThere(t *testing.T) {
	want := strings.Fields(`mnist qmnist emnist fashionmnist cifar10 cifar100 imagenet32 svhn stl10
		gtsrb pcam dtd caltech101 aircraft celeba imagenet uci121 grinsztajn
		glyphs bars noisydigits deadleaves star sidebyside spurious polynomial streetdigits heads`)
	var got []string
	for _, e := range catalogue.All() {
		got = append(got, e.Name)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("All has %v, want %v", got, want)
	}
}

func TestAllIsInOrder(t *testing.T) {
	kinds := []catalogue.Kind{catalogue.Images, catalogue.Tables, catalogue.Generated}
	all := catalogue.All()
	for i, e := range all {
		if !slices.Contains(kinds, e.Kind) {
			t.Errorf("%s is of kind %q", e.Name, e.Kind)
		}
		if i == 0 {
			continue
		}
		before := all[i-1]
		order := cmp.Or(
			cmp.Compare(slices.Index(kinds, before.Kind), slices.Index(kinds, e.Kind)),
			cmp.Compare(before.Name, e.Name))
		if order >= 0 {
			t.Errorf("%s (%s) comes after %s (%s)", e.Name, e.Kind, before.Name, before.Kind)
		}
	}
}

func TestFind(t *testing.T) {
	for _, e := range catalogue.All() {
		if got, ok := catalogue.Find(e.Name); !ok || got.Title != e.Title {
			t.Errorf("Find(%q) = %q, %v", e.Name, got.Title, ok)
		}
	}
	for _, name := range []string{"", "MNIST", "mnist:", "emnist:letters", "mnis"} {
		if e, ok := catalogue.Find(name); ok {
			t.Errorf("Find(%q) found %s", name, e.Name)
		}
	}
}

// TestAllIsTheCallers checks that a change of the entries that All returned does not change the catalogue.
func TestAllIsTheCallers(t *testing.T) {
	mine := catalogue.All()
	for i := range mine {
		mine[i].Name = "changed"
		clear(mine[i].Files)
		clear(mine[i].Splits)
		clear(mine[i].Variants)
		clear(mine[i].Papers)
	}
	e, ok := catalogue.Find("emnist")
	if !ok || e.Files[0].SHA256 == "" || e.Splits[0].Size == 0 || e.Variants[0] == "" || e.Papers[0] == "" {
		t.Errorf("a change of what All returned shows in %+v", e)
	}
}

func TestEntriesAreWhole(t *testing.T) {
	for _, e := range catalogue.All() {
		made := e.Kind == catalogue.Generated
		switch {
		case e.Title == "":
			t.Errorf("%s has no title", e.Name)
		case !made && (e.Licence == "" || !strings.HasPrefix(e.Home, "http")):
			t.Errorf("%s has licence %q and home %q", e.Name, e.Licence, e.Home)
		case made && (len(e.Files) > 0 || e.ByHand != ""):
			t.Errorf("%s is generated and yet to be got", e.Name)
		case !made && len(e.Files) == 0 && e.ByHand == "":
			t.Errorf("nothing says how to get %s", e.Name)
		case e.Kind == catalogue.Images && (e.Shape == "" || e.Classes == 0 || len(e.Splits) == 0):
			t.Errorf("%s has shape %q, %d classes and splits %v", e.Name, e.Shape, e.Classes, e.Splits)
		}
		if len(e.Papers) == 0 != slices.Contains(inNoPaper, e.Name) {
			t.Errorf("%s is in the papers %v", e.Name, e.Papers)
		}
		for _, p := range e.Papers {
			if !slices.Contains(papers, p) {
				t.Errorf("%s is in %q, which is none of %v", e.Name, p, papers)
			}
		}
	}
}

func TestSplitsAndVariants(t *testing.T) {
	for _, e := range catalogue.All() {
		var names []string
		for _, s := range e.Splits {
			if s.Size <= 0 || s.Name == "" {
				t.Errorf("%s has a split %+v", e.Name, s)
			}
			names = append(names, s.Name)
		}
		for _, list := range [][]string{names, e.Variants} {
			if sorted := slices.Sorted(slices.Values(list)); len(slices.Compact(sorted)) != len(list) {
				t.Errorf("%s lists one twice: %v", e.Name, list)
			}
		}
		for variant := range e.Of {
			if !slices.Contains(e.Variants, variant) {
				t.Errorf("%s has splits of %q, which is no variant", e.Name, variant)
			}
		}
		for _, v := range e.Variants {
			if v == "" || strings.ContainsAny(v, ": ") || e.Kind != catalogue.Generated &&
				strings.ContainsAny(v, ",=") {
				t.Errorf("%s:%s is not what data.Open reads as one word", e.Name, v)
			}
		}
	}
}

// TestSplitsAddUp compares the sum of the splits of a set with the total that its publisher states.
func TestSplitsAddUp(t *testing.T) {
	for name, want := range map[string]int{
		"cifar10":    60000,  // www.cs.toronto.edu/~kriz/cifar.html
		"emnist":     131600, // www.nist.gov, EMNIST Balanced
		"svhn":       630420, // 73257, 26032 and 531131 at ufldl.stanford.edu
		"stl10":      113000, // 500 and 800 a class, and 100000
		"pcam":       327680, // github.com/basveeling/pcam
		"dtd":        5640,   // 47 classes of 120
		"aircraft":   10000,  // arXiv:1306.5151
		"celeba":     202599, // mmlab.ie.cuhk.edu.hk
		"imagenet":   1331167,
		"imagenet32": 1331167,
	} {
		e, ok := catalogue.Find(name)
		got := 0
		for _, s := range e.Splits {
			got += s.Size
		}
		if !ok || got != want {
			t.Errorf("%s has %d images in all, want %d", name, got, want)
		}
	}
	if e, _ := catalogue.Find("celeba"); len(e.Variants) != 40 {
		t.Errorf("celeba has %d attributes, want 40", len(e.Variants))
	}
}

func ExampleFind() {
	e, _ := catalogue.Find("mnist")
	fmt.Printf("%s: %s, %d classes, %d bytes in %d files\n", e.Title, e.Shape, e.Classes, e.Bytes(), len(e.Files))
	// Output: MNIST: 1×28×28, 10 classes, 11594722 bytes in 4 files
}
