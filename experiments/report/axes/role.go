package axes

import (
	"slices"
	"strings"
)

// Role says what a series of a line or bar chart is, which its label tells: a measurement, or something to compare
// measurements with, which looks the same in all charts.
type Role int

const (
	Measured   Role = iota // any other label
	NullLevel              // "null", "null of a", "null, a", "null: how": what chance would give, in grey
	PaperValue             // "paper", "paper (Table 3)": the paper's numbers, as diamonds
	Reference              // "reference: 1/√k": a computed line for comparing slopes and levels, thin
)

// RoleOf returns the role that a label tells by its first word.
func RoleOf(label string) Role {
	label = strings.TrimLeft(label, "-−")
	for word, r := range map[string]Role{"null": NullLevel, "paper": PaperValue, "reference": Reference} {
		if rest, is := strings.CutPrefix(label, word); is && (rest == "" || strings.ContainsAny(rest[:1], " ,:(")) {
			return r
		}
	}
	return Measured
}

// OwnerOf returns the index of the series to which a null or a number of the paper belongs: the one that its label names,
// or else the last measured one before it, or −1 if there is none.
func OwnerOf(labels []string, i int) int {
	words := strings.TrimLeft(labels[i], "-−")
	_, words, _ = strings.Cut(words, " ")
	words = strings.TrimPrefix(words, "of ")
	last := -1
	for j, label := range labels {
		if RoleOf(label) != Measured {
			continue
		}
		if words != "" && strings.HasPrefix(label, words) {
			return j
		}
		if j < i {
			last = j
		}
	}
	return last
}

// LookOf returns the place of the i-th series among those of its role, which sets its colour and marks.
func LookOf(labels []string, i int) int {
	return len(slices.DeleteFunc(slices.Clone(labels[:i]), func(s string) bool { return RoleOf(s) != RoleOf(labels[i]) }))
}
