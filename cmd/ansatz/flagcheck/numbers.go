package flagcheck

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Floats adds a flag of numbers with commas between them. The text of its value has all digits, which [CommandLine] needs;
// that of pflag's own has six decimals.
func Floats(f *pflag.FlagSet, to *[]float64, name string, value []float64, usage string) {
	*to = value
	f.Var(&floats{to: to}, name, usage)
}

type floats struct {
	to    *[]float64
	given bool
}

// String implements [pflag.Value].
func (f *floats) String() string {
	if f.to == nil { // pflag asks for the text of the zero value
		return ""
	}
	texts := make([]string, len(*f.to))
	for i, v := range *f.to {
		texts[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strings.Join(texts, ",")
}

// Set implements [pflag.Value]: the first call replaces the default, and later ones add to it.
func (f *floats) Set(text string) error {
	var all []float64
	for _, part := range strings.Split(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return err
		}
		all = append(all, v)
	}
	if f.given {
		all = append(*f.to, all...)
	}
	*f.to, f.given = all, true
	return nil
}

// Type implements [pflag.Value].
func (f *floats) Type() string { return "float64Slice" }

// Factor is the value of a flag: a finite number above 0.
type Factor float64

// Set implements [pflag.Value].
func (f *Factor) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return errors.New("want a number above 0, such as 2 or 0.25")
	}
	*f = Factor(v)
	return nil
}

// String implements [pflag.Value].
func (f *Factor) String() string { return strconv.FormatFloat(float64(*f), 'g', -1, 64) }

// Type implements [pflag.Value].
func (*Factor) Type() string { return "float" }
