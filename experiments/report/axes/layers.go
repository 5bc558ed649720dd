package axes

import (
	"regexp"
	"strings"
)

// LayerLabels returns short labels for names of layers: L1.0.conv1 for "module.layer1.0.conv1". It leaves out first parts
// that all names share, such as "module.", unless the rest of a name would begin with a number, and abbreviates long words.
// Names that differ get labels that differ.
func LayerLabels(names []string) []string {
	labels := withoutShared(names)
	short := make([]string, len(labels))
	for i, label := range labels {
		short[i] = label
		if strings.Contains(label, ".") {
			short[i] = layerWord.ReplaceAllStringFunc(label, abbreviated)
		}
	}
	if distinct(short) < distinct(labels) {
		return labels
	}
	return short
}

var (
	layerWord     = regexp.MustCompile(`[A-Za-z]+`)
	abbreviations = map[string]string{
		"features": "feat", "classifier": "class", "layer": "L", "layers": "L", "block": "B", "blocks": "B",
		"encoder": "enc", "decoder": "dec", "attention": "attn", "transformer": "trf", "downsample": "down",
	}
)

func abbreviated(word string) string {
	if short, ok := abbreviations[word]; ok {
		return short
	}
	return word
}

// withoutShared leaves out the first parts that all names share, as long as each rest begins with a letter.
func withoutShared(names []string) []string {
	for len(names) > 1 {
		first, _, _ := strings.Cut(names[0], ".")
		rests := make([]string, len(names))
		for i, name := range names {
			rest, found := strings.CutPrefix(name, first+".")
			if !found || layerWord.FindStringIndex(rest) == nil || layerWord.FindStringIndex(rest)[0] != 0 {
				return names
			}
			rests[i] = rest
		}
		names = rests
	}
	return names
}

func distinct(names []string) int {
	seen := map[string]bool{}
	for _, name := range names {
		seen[name] = true
	}
	return len(seen)
}
