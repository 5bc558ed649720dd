package input

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/data/catalogue"
)

// partText says that n images are a part of those that were published as a split of a dataset; "" where they are
// all or where nobody says how many there are.
func partText(s DataSpec, n int) string {
	name, variant, _ := strings.Cut(s.Data, ":")
	e, known := catalogue.Find(name)
	if !known || e.Kind != catalogue.Images {
		return ""
	}
	split, listed := e.SplitOf(variant, cmp.Or(s.Split, "test"))
	if !listed || n >= split.Size {
		return ""
	}
	return fmt.Sprintf("; %d of the %d published images are here", n, split.Size)
}
