package input

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// Choice returns the value whose text was given, the first for "".
func Choice[T fmt.Stringer](flag, text string, values ...T) (T, error) {
	var names []string
	for _, v := range values {
		if v.String() == text || text == "" {
			return v, nil
		}
		names = append(names, v.String())
	}
	var none T
	return none, Errorf("%s %q: want one of %s", flag, text, strings.Join(names, ", "))
}

// ParsePrecision reads a number of bits, 0 for 32.
func ParsePrecision(bits int) (graph.Precision, error) {
	switch bits {
	case 0, 32:
		return graph.Single, nil
	case 64:
		return graph.Double, nil
	}
	return graph.Single, Errorf("--precision %d: want 32 or 64", bits)
}

// CheckBackend refuses a backend that there is not.
func CheckBackend(name string) error {
	switch name {
	case "", "go":
	case "native":
		if !backend.Native() {
			return &Error{backend.ErrNoNative}
		}
	default:
		return Errorf("--backend %q: want native or go", name)
	}
	return nil
}

// BackendName is the backend that a name, perhaps "", stands for.
func BackendName(name string) string {
	return cmp.Or(name, map[bool]string{true: "native", false: "go"}[backend.Native()])
}

// PrecisionText names a precision in records.
func PrecisionText(p graph.Precision) string {
	if p == graph.Double {
		return "float64"
	}
	return "float32"
}
