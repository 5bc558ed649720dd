package weights

import (
	"fmt"
	"strings"
)

// PrefixError says that no tensor's name begins with a prefix.
type PrefixError struct {
	Prefix string
	Names  []string // names of the file's tensors
}

// Error names some tensors of the file.
func (e *PrefixError) Error() string {
	const some = 3
	var names []string
	for _, name := range e.Names[:min(some, len(e.Names))] {
		names = append(names, printable(name))
	}
	if len(e.Names) > some {
		names = append(names, "…")
	}
	return fmt.Sprintf("no tensor's name begins with %q: the names are %s", e.Prefix, strings.Join(names, ", "))
}

// InputError returns true: the user gave the prefix.
func (e *PrefixError) InputError() bool { return true }

// Under returns the tensors whose names begin with a prefix, under their names without it. It returns a [*PrefixError] if
// there are none.
func (d *StateDict) Under(prefix string) (*StateDict, error) {
	part := d.Renamed(func(name string) (string, bool) {
		rest, has := strings.CutPrefix(name, prefix)
		return rest, has && rest != ""
	})
	if part.Len() == 0 {
		return nil, &PrefixError{prefix, d.Names()}
	}
	return part, nil
}

// withoutWrapping returns the state dict without the prefixes that DataParallel and torch.compile put before every name.
func (d *StateDict) withoutWrapping() *StateDict {
	for _, prefix := range []string{"module.", "_orig_mod.", "module."} {
		if part, err := d.Under(prefix); err == nil && part.Len() == d.Len() {
			d = part
		}
	}
	return d
}
