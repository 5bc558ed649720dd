package models

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Schedule says how the learning rate changes from epoch to epoch. The zero value keeps it constant.
type Schedule struct {
	text   string
	factor func(epoch, epochs int) float64
}

// ParseSchedule reads
//
//	constant
//	step:N[:FACTOR]            times FACTOR (default .1) every N epochs
//	milestones:E1,E2,…[:FACTOR]  times FACTOR after epochs E1, E2, …
//	cosine                     to 0 along half a cosine over all epochs
//
// which are PyTorch's StepLR, MultiStepLR and CosineAnnealingLR. An empty text is
// constant.
func ParseSchedule(text string) (Schedule, error) {
	kind, rest, _ := strings.Cut(text, ":")
	numbers, factor, err := scheduleNumbers(rest)
	switch {
	case err != nil:
	case text == "" || text == "constant":
		return Schedule{}, nil
	case text == "cosine":
		return Schedule{text, cosine}, nil
	case kind == "step" && len(numbers) == 1:
		every := numbers[0]
		return Schedule{text, func(epoch, _ int) float64 { return math.Pow(factor, float64(epoch/every)) }}, nil
	case kind == "milestones" && len(numbers) > 0 && slices.IsSorted(numbers):
		return Schedule{text, func(epoch, _ int) float64 {
			passed := 0
			for _, m := range numbers {
				if epoch >= m {
					passed++
				}
			}
			return math.Pow(factor, float64(passed))
		}}, nil
	}
	return Schedule{}, fmt.Errorf(
		"schedule %q: want constant, cosine, step:N[:FACTOR] or milestones:E1,E2,…[:FACTOR] with rising epochs of "+
			"at least 1", text)
}

// scheduleNumbers reads E1,E2,…[:FACTOR].
func scheduleNumbers(text string) (numbers []int, factor float64, err error) {
	if text == "" {
		return nil, 0, nil
	}
	list, last, found := strings.Cut(text, ":")
	factor = .1
	if found {
		if factor, err = strconv.ParseFloat(last, 64); err != nil || !(factor > 0) || math.IsInf(factor, 0) {
			return nil, 0, fmt.Errorf("%q is not a factor greater than 0", last)
		}
	}
	for _, field := range strings.Split(list, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 {
			return nil, 0, fmt.Errorf("%q is not a number of epochs of at least 1", field)
		}
		numbers = append(numbers, n)
	}
	return numbers, factor, nil
}

func cosine(epoch, epochs int) float64 {
	return (1 + math.Cos(math.Pi*float64(epoch)/float64(epochs))) / 2
}

// LR returns the learning rate of an epoch, counted from 0, in a training of that many epochs.
func (s Schedule) LR(base float64, epoch, epochs int) float64 {
	if s.factor == nil {
		return base
	}
	return base * s.factor(epoch, epochs)
}

// NeedsEpochs reports whether the learning rates depend on the total number of epochs.
func (s Schedule) NeedsEpochs() bool { return s.text == "cosine" }

// String is the text that [ParseSchedule] reads.
func (s Schedule) String() string {
	if s.text == "" {
		return "constant"
	}
	return s.text
}
