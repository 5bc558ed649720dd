package need

import (
	"fmt"
	"math"
	"os"
	"sort"
	"strings"
	"testing"
)

// exploring: leave-one-out over the fitted points only
func TestZZ(t *testing.T) {
	text, _ := os.ReadFile(os.Getenv("POINTS"))
	all, err := ReadPoints(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	byKind := map[string][]Point{}
	var names []string
	held := map[string]int{}
	for _, p := range all {
		k := p.Job.kind()
		if p.heldBack() {
			held[k]++
			continue
		}
		if byKind[k] == nil {
			names = append(names, k)
		}
		byKind[k] = append(byKind[k], p)
	}
	sort.Strings(names)
	for _, k := range names {
		ps := byKind[k]
		var T, B [][]float64
		var s, b []float64
		for _, p := range ps {
			T, B = append(T, p.Job.time()), append(B, p.Job.memory())
			s, b = append(s, p.Seconds), append(b, p.Bytes)
		}
		fmt.Printf("== %s: %d fitted, %d held\n  time %v\n  mem %v\n", k, len(ps), held[k], fit(T, s), fit(B, b))
		for i, p := range ps {
			w := fit(without(T, i), without(s, i))
			m := fit(without(B, i), without(b, i))
			es, eb := w.of(T[i])/s[i]-1, m.of(B[i])/b[i]-1
			full, fullb := fit(T, s).of(T[i])/s[i]-1, fit(B, b).of(B[i])/b[i]-1
			mark := ""
			if math.Abs(es) > .3 {
				mark += " TIME"
			}
			if math.Abs(eb) > .3 {
				mark += " MEM"
			}
			fmt.Printf("  %-90s %7.2f s %5.0f MB  loo %+.2f %+.2f  fit %+.2f %+.2f%s\n", p.Name, p.Seconds, p.Bytes/(1<<20), es, eb, full, fullb, mark)
		}
	}
}

func without[T any](v []T, i int) []T {
	out := append([]T(nil), v[:i]...)
	return append(out, v[i+1:]...)
}
