package data

import (
	"slices"
	"strings"
	"testing"
)

// FuzzGenerated opens generated sets with random arguments, and reads an image of each that opens.
func FuzzGenerated(f *testing.F) {
	kinds := []string{"bars", "deadleaves", "noisydigits", "sidebyside", "spurious", "star", "heads", "streetdigits"}
	for _, spec := range append(slices.Clone(generatedSpecs), "star:spurious:bars",
		"sidebyside:noisydigits:deadleaves,star") {
		name, list := cutSpec(spec)
		f.Add(uint8(slices.Index(kinds, name)), list, 0)
	}
	f.Add(uint8(5), "noisydigits:sidebyside:bars", 40)
	empty := f.TempDir()
	f.Fuzz(func(t *testing.T, kind uint8, list string, size int) {
		spec := kinds[int(kind)%len(kinds)] + ":" + list
		if strings.Contains(spec, "/") || strings.Contains(spec, ":.") || strings.Contains(spec, ",.") || size > 300 {
			t.Skip("a folder, or an image that takes long")
		}
		ds, err := Open(spec, Options{Dir: empty, Count: 3, Size: size})
		if err != nil {
			return
		}
		if ds.Len() != 3 {
			t.Errorf("%d images", ds.Len())
		}
		mustRead(t, ds, 2)
	})
}
