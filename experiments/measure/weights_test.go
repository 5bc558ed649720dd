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
	if w, err := ParseWeights("red=1,green=2", names, nil); err != nil || w[0] != 1 || w[1] != 2 {
		t.Errorf("%v, %v", w, err)
	}
}
