package input

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/data/catalogue"
)

// partText says that the n images are only part of a published split of a dataset; "" if they are all of it, or if the
// published number is unknown.
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
