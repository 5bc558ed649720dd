// Package words formats numbers of things, long lists and sizes of memory for messages and pages.
package words

import (
	"fmt"
	"strconv"
	"strings"
)

// Count returns a number with its noun: "1 shard", "3 shards", "2 classes", "2 matrices".
func Count(n int, noun string) string {
	switch {
	case n == 1:
	case noun == "matrix":
		noun = "matrices"
	case strings.HasSuffix(noun, "s"):
		noun += "es"
	default:
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// Some joins names by commas. If there are more than most, it joins the first most and says how many more there are.
func Some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// List joins all things for a sentence: "3, 5 and 9".
func List[T any](all []T) string {
	var text strings.Builder
	for i, x := range all {
		switch {
		case i > 0 && i == len(all)-1:
			text.WriteString(" and ")
		case i > 0:
			text.WriteString(", ")
		}
		fmt.Fprint(&text, x)
	}
	return text.String()
}

// Names is [Some] for names given by users: those with commas, quotes or line breaks are quoted.
func Names(names []string, most int) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		if quoted[i] = name; strings.ContainsAny(name, ",\"\n\r") {
			quoted[i] = strconv.Quote(name)
		}
	}
	return Some(quoted, most)
}

// Bytes returns a number of bytes in KiB, MiB or GiB, the powers of 1024 in which flags such as --memory count.
func Bytes[N int | int64 | uint64 | float64](n N) string {
	switch size := float64(n); {
	case size < 1<<20:
		return fmt.Sprintf("%.0f KiB", size/(1<<10))
	case size < 1<<30:
		return fmt.Sprintf("%.0f MiB", size/(1<<20))
	default:
		return fmt.Sprintf("%.1f GiB", size/(1<<30))
	}
}

// Of says how many of all things there are, as the subject of a sentence with its verb, given for one and for several:
// "1 of 19 layers lies", "12 of 19 layers lie", "0 of 1 layer lies".
func Of(n, all int, noun, one, several string) string {
	verb := several
	if n == 1 || all == 1 {
		verb = one
	}
	return fmt.Sprintf("%d of %s %s", n, Count(all, noun), verb)
}
