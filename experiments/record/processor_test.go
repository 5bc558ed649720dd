package record

import (
	"strings"
	"testing"
)

func TestModelName(t *testing.T) {
	for text, want := range map[string]string{
		"processor\t: 0\nmodel name\t: A: fast one \nmodel name\t: other\n": "A: fast one", "model\t: 3\n": "", "": "", "model name": "",
	} {
		if got := modelName(strings.NewReader(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
