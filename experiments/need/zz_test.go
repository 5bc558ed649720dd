package need

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

func TestZZ(t *testing.T) {
	text, _ := os.ReadFile(os.Getenv("POINTS"))
	all, err := ReadPoints(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	holdBack(all)
	if os.Getenv("HELD") != "" {
		for i := range all {
			all[i].held = !all[i].held
		}
	}
	model := func(skip int) (weights, weights) {
		var T, B []terms
		var s, b []float64
		for i, p := range all {
			if p.held || i == skip {
				continue
			}
			T, B = append(T, p.Job.time()), append(B, p.Job.memory())
			s, b = append(s, p.Seconds), append(b, p.Bytes)
		}
		return fit(T, s), fit(B, b)
	}
	fs, fb := model(-1)
	for k, v := range fs { fmt.Printf("time %s %g\n", k, v) }
	for k, v := range fb { fmt.Printf("mem %s %g\n", k, v) }
	held := map[string]int{}
	for i, p := range all {
		if p.held {
			held[p.Job.kind()]++
			continue
		}
		w, m := model(i)
		a, _ := w.of(p.Job.time())
		c, _ := m.of(p.Job.memory())
		es, eb := a/p.Seconds-1, c/p.Bytes-1
		a, _ = fs.of(p.Job.time())
		c, _ = fb.of(p.Job.memory())
		mark := ""
		if math.Abs(es) > .3 { mark += " TIME" }
		if math.Abs(eb) > .3 { mark += " MEM" }
		fmt.Printf("P %-22s %-90s %7.2f s %5.0f MB  loo %+.2f %+.2f  fit %+.2f %+.2f%s\n", p.Job.kind(), p.Name, p.Seconds, p.Bytes/(1<<20), es, eb, a/p.Seconds-1, c/p.Bytes-1, mark)
	}
	fmt.Println(held)
}
