package data

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
)

// arguments hold the list after the name of a dataset: NAME:ARG,ARG,… where an ARG is
// KEY=VALUE or a word, such as a variant of the set or the name of its base set.
type arguments struct {
	spec   string // the whole text
	words  []string
	values map[string]string
}

// cutSpec splits the text that names a dataset at its first colon.
func cutSpec(spec string) (name, list string) {
	name, list, _ = strings.Cut(spec, ":")
	return name, list
}

// parseArguments reads the arguments of a dataset that takes up to that many words, and
// those keys.
func parseArguments(spec string, words int, keys []string) (arguments, error) {
	a := arguments{spec: spec, values: map[string]string{}}
	name, list := cutSpec(spec)
	if !strings.Contains(spec, ":") {
		return a, nil
	}
	for field := range strings.SplitSeq(list, ",") {
		key, value, isValue := strings.Cut(field, "=")
		_, twice := a.values[key]
		switch {
		case isValue && !slices.Contains(keys, key):
			return a, a.fail(describeArguments(name, words, keys), strconv.Quote(field))
		case twice:
			return a, a.fail(key+" once", "twice")
		case isValue:
			a.values[key] = value
		case len(a.words) == words || field == "":
			return a, a.fail(describeArguments(name, words, keys), strconv.Quote(field))
		default:
			a.words = append(a.words, field)
		}
	}
	return a, nil
}

// describeArguments describes the arguments that a dataset takes, for an error.
func describeArguments(name string, words int, keys []string) string {
	var may []string
	if words > 0 {
		may = append(may, fmt.Sprintf("up to %d words", words))
	}
	for _, k := range keys {
		may = append(may, k+"=VALUE")
	}
	if len(may) == 0 {
		return name + " alone"
	}
	return name + ":LIST of " + strings.Join(may, ", ")
}

// fail returns an error about the arguments.
func (a arguments) fail(want, got string) error {
	return &FormatError{Path: "dataset " + strconv.Quote(a.spec), Offset: array.NoOffset, Want: want, Got: got}
}

// word returns word i, which must be among the allowed ones. The first of these is the
// default.
func (a arguments) word(i int, allowed ...string) (string, error) {
	if i >= len(a.words) {
		return allowed[0], nil
	}
	if !slices.Contains(allowed, a.words[i]) {
		return "", a.fail("one of "+strings.Join(allowed, ", "), strconv.Quote(a.words[i]))
	}
	return a.words[i], nil
}

// flag reports whether word i is there; it returns an error if the word is not name.
func (a arguments) flag(i int, name string) (bool, error) {
	if i >= len(a.words) {
		return false, nil
	}
	_, err := a.word(i, name)
	return true, err
}

// number returns the value of a key, which must be a number from lo to hi.
func (a arguments) number(key string, byDefault, lo, hi float64) (float64, error) {
	text, given := a.values[key]
	if !given {
		return byDefault, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= lo && v <= hi) {
		return 0, a.fail(fmt.Sprintf("%s from %g to %g", key, lo, hi), strconv.Quote(text))
	}
	return v, nil
}

// whole returns the value of a key, which must be a whole number from lo to hi.
func (a arguments) whole(key string, byDefault, lo, hi int) (int, error) {
	text, given := a.values[key]
	if !given {
		return byDefault, nil
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < lo || v > hi {
		return 0, a.fail(fmt.Sprintf("%s, a whole number from %d to %d", key, lo, hi), strconv.Quote(text))
	}
	return v, nil
}
