package data

import (
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
)

func TestParseArguments(t *testing.T) {
	a, err := parseArguments("star:cifar10,emnist:letters,noise=2,side=7", 2, []string{"noise", "side"})
	if err != nil || !slices.Equal(a.words, []string{"cifar10", "emnist:letters"}) {
		t.Fatalf("%+v, %v", a, err)
	}
	if v, err := a.number("noise", 1, 0, 10); v != 2 || err != nil {
		t.Errorf("noise %v, %v", v, err)
	}
	if v, err := a.whole("side", 1, 0, 10); v != 7 || err != nil {
		t.Errorf("side %v, %v", v, err)
	}
	if v, err := a.number("other", 1.5, 0, 10); v != 1.5 || err != nil {
		t.Errorf("default %v, %v", v, err)
	}
	if _, err := a.number("noise", 1, 0, 1); err == nil {
		t.Error("2 is from 0 to 1")
	}
	if w, err := a.word(0, "mnist", "cifar10"); w != "cifar10" || err != nil {
		t.Errorf("word %q, %v", w, err)
	}
	if w, err := a.word(2, "mnist"); w != "mnist" || err != nil {
		t.Errorf("default word %q, %v", w, err)
	}
	if _, err := a.word(0, "mnist"); err == nil {
		t.Error("cifar10 was not allowed")
	}
}

func TestParseArgumentsRefuses(t *testing.T) {
	for _, spec := range []string{"star:", "star:a,b", "star:a,,", "star:noise=1,noise=2", "star:loud=1", "star:=1"} {
		_, err := parseArguments(spec, 1, []string{"noise"})
		wantFormatError(t, err, array.NoOffset)
	}
}
