package experiments

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// choice returns the value whose text was given, the first for "".
func choice[T fmt.Stringer](flag, text string, values ...T) (T, error) {
	var names []string
	for _, v := range values {
		if v.String() == text || text == "" {
			return v, nil
		}
		names = append(names, v.String())
	}
	var none T
	return none, badInput("%s %q: want one of %s", flag, text, strings.Join(names, ", "))
}

// parsePrecision reads a number of bits, 0 for 32.
func parsePrecision(bits int) (graph.Precision, error) {
	switch bits {
	case 0, 32:
		return graph.Single, nil
	case 64:
		return graph.Double, nil
	}
	return graph.Single, badInput("--precision %d: want 32 or 64", bits)
}

// checkBackend refuses a backend that there is not.
func checkBackend(name string) error {
	switch name {
	case "", "go":
	case "native":
		if !backend.Native() {
			return &InputError{backend.ErrNoNative}
		}
	default:
		return badInput("--backend %q: want native or go", name)
	}
	return nil
}

// backendName is the backend that a name, perhaps "", stands for.
func backendName(name string) string {
	return cmp.Or(name, map[bool]string{true: "native", false: "go"}[backend.Native()])
}
