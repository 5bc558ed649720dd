package measure

import (
	"strings"
	"testing"
)

// A class with two weights is refused, because it is unclear which is meant.
func TestParseWeightsOfOneClassTwice(t *testing.T) {
	names := []string{"red", "green"}
	if _, err := ParseWeights("red=1,red=2", names, nil); err == nil || !strings.Contains(err.Error(), `"red" has two weights`) {
		t.Errorf("%v", err)
	}
	names = append(names, `dark, "very" blue`)
	for _, text := range []string{`"dark, ""very"" blue=3",red=2`, `red=2,"dark, ""very"" blue=3"`} {
		if w, err := ParseWeights(text, names, nil); err != nil || w[len(w)-1] != 3 || w[0] != 2 {
			t.Errorf("%s: %v, %v", text, w, err)
		}
	}
	for _, text := range []string{"dark, blue=3", `"dark, blue"=3`} {
		if _, err := ParseWeights(text, names, nil); err == nil || !strings.Contains(err.Error(), `double quotes around a part with a comma`) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if w, err := ParseWeights("red=1,green=2", names, nil); err != nil || w[0] != 1 || w[1] != 2 {
		t.Errorf("%v, %v", w, err)
	}
}
