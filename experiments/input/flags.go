package input

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu"
)

// Choice returns the value whose String equals text, or the first value for "". Any other text is an [*Error] that
// names the flag.
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

// ParsePrecision returns the precision of 32 or 64 bits; 0 stands for 32.
func ParsePrecision(bits int) (graph.Precision, error) {
	switch bits {
	case 0, 32:
		return graph.Single, nil
	case 64:
		return graph.Double, nil
	}
	return graph.Single, Errorf("--precision %d: want 32 or 64", bits)
}

// CheckBackend returns an [*Error] if the backend does not exist, or is not available in this build or on this machine.
func CheckBackend(name string) error {
	from := "--backend"
	if name == "" {
		from = "$ANSATZ_BACKEND"
	}
	switch name := BackendName(name); name {
	case "go":
	case "native":
		if !backend.Native() {
			return &Error{backend.ErrNoNative}
		}
	case "gpu":
		if err := gpu.Available(); err != nil {
			return &Error{err}
		}
	default:
		return Errorf("%s %q: want native, go or gpu", from, name)
	}
	return nil
}

// CheckBF16 returns an [*Error] unless the backend supports products in bfloat16 on this machine.
func CheckBF16(name string) error {
	if BackendName(name) != "native" || !backend.HasBF16() {
		return &Error{fmt.Errorf("--precision bf16: %w", backend.ErrNoBF16)}
	}
	return nil
}

// BackendName returns the name of a backend; "" stands for the default.
func BackendName(name string) string { return cmp.Or(name, backend.Default()) }

// DeviceName returns the name of the GPU that a backend computes on, "" for the other backends and without one.
func DeviceName(name string) string {
	if BackendName(name) != "gpu" {
		return ""
	}
	return gpu.DeviceName()
}

// PrecisionText names a precision in records.
func PrecisionText(p graph.Precision) string {
	if p == graph.Double {
		return "float64"
	}
	return "float32"
}
