package main

import (
	"errors"
	"math"
	"strconv"
)

// factor is the value of a flag: a finite number above 0.
type factor float64

func (f *factor) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return errors.New("want a number above 0, as 2 or 0.25")
	}
	*f = factor(v)
	return nil
}

func (f *factor) String() string { return strconv.FormatFloat(float64(*f), 'g', -1, 64) }

func (*factor) Type() string { return "float" }
