package input

import (
	"testing"
)

// The text says if a dataset, or a variant of one, has fewer images than were published. For complete and larger
// datasets, generated ones and folders it is empty.
func TestPartText(t *testing.T) {
	for _, c := range []struct {
		name, split string
		n           int
		want        string
	}{
		{"gtsrb", "train", 13036, "; 13036 of the 26640 published images are here"},
		{"gtsrb", "", 3919, "; 3919 of the 12630 published images are here"},
		{"gtsrb", "train", 26640, ""}, {"gtsrb", "train", 39209, ""},
		{"emnist:letters", "train", 124800, ""},
		{"emnist:letters", "train", 9, "; 9 of the 124800 published images are here"},
		{"glyphs", "train", 10, ""}, {"./gtsrb", "train", 10, ""},
	} {
		if got := partText(DataSpec{Data: c.name, Split: c.split}, c.n); got != c.want {
			t.Errorf("%s %s, %d images: %q, want %q", c.name, c.split, c.n, got, c.want)
		}
	}
}
