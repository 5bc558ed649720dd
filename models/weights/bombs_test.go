package weights

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestBombs reads small pickles that would take very much memory or time without limits. Each must be refused quickly,
// with a short error.
func TestBombs(t *testing.T) {
	const times = 50_000
	megabyte := strings.Repeat("a", 1<<20)
	again := func(s string) string { return "](" + strings.Repeat(s, times) + "e" }
	bombs := map[string]string{
		// Long texts in sets, again and again.
		"sets": text(megabyte) + "q\x000" + "\x8f(" + strings.Repeat("h\x00", times) + "\x90",
		// A class of the library that copies its argument.
		"arrays": "B\x00\x00\x10\x00" + megabyte + "q\x000" + classNamed("array", "_array_reconstructor") + "q\x010" +
			again("h\x01(Nh\x01K\x00h\x00tR"),
		// A state that the library copies entry by entry.
		"states": "}(" + strings.Repeat(text("a")+"N", times) + "uq\x000" + classNamed("collections", "OrderedDict") +
			"q\x010" + again("h\x01)Rh\x00b"),
		// Named arguments that the library copies.
		"arguments": "(" + strings.Repeat("N", times) + "tq\x000" + classNamed("mine", "Net") + "q\x010" +
			again("h\x01h\x00}\x92"),
		// An error that the library prints with all its values.
		"errors":       text(megabyte) + "q\x000(" + strings.Repeat("h\x00", times) + "t)R",
		"class errors": text(megabyte) + "q\x000(" + strings.Repeat("h\x00", times) + "t)\x93",
		"call errors":  text(megabyte) + "q\x000]q\x01(" + strings.Repeat("h\x00", times) + "tR",
		// Long texts as names of classes.
		"classes": text(megabyte) + "q\x000" + again("h\x00h\x00\x93"),
		// Long texts as keys of storages.
		"keys": text(megabyte) + "q\x000" + classNamed("torch", "FloatStorage") + "q\x010" + text("storage") +
			"q\x020" + again("(h\x02h\x01h\x00NK\x06tQ"),
		// Long texts as names of tensors.
		"names": text(megabyte) + "q\x000}(" + strings.Repeat("h\x00N", times) + "u",
		// A list from which a dict is made over and over.
		"pairs": "](" + strings.Repeat("]", times) + "eq\x000" + classNamed("collections", "OrderedDict") + "q\x010" +
			again("h\x01(h\x00tR"),
		// Metadata that every tensor has.
		"metadata": "}(" + strings.Repeat(text("a")+"N", times) + "uq\x000" + persistent("FloatStorage", "0", 6) +
			"q\x010" +
			classNamed("torch._utils", "_rebuild_tensor_v2") + "q\x020" +
			again("h\x02(h\x01K\x00K\x06\x85K\x01\x85\x89}h\x00tR"),
		// Shapes of many dimensions.
		"ranks": persistent("FloatStorage", "0", 6) + "q\x000" + integers(make([]int64, maxRank)...) + "q\x010" +
			classNamed("torch._utils", "_rebuild_tensor") + "q\x020(h\x00K\x00h\x01h\x01tq\x030" + again("h\x02h\x03R"),
		// One tensor under many names.
		"tied": rebuilt(persistent("FloatStorage", "0", 1<<20), 0, []int64{1 << 20}, []int64{1}) + "q\x000" +
			manyNames(times),
		// Lists in lists, marks in marks, tuples in tuples.
		"lists":  strings.Repeat("]", times) + strings.Repeat("a", times-1),
		"marks":  strings.Repeat("(", times) + "N",
		"tuples": "N" + strings.Repeat("\x85", times),
		// Calls of the results of calls.
		"calls": classNamed("mine", "Net") + strings.Repeat(")R", times),
	}
	for name, bomb := range bombs {
		t.Run(name, func(t *testing.T) {
			data := archived(t, bomb, rec{name: "net/data/0", content: floats(6)})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			d, err := readBytes(data)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Fatalf("read %d tensors", d.Len())
			}
			wantFormatError(t, err)
			if len(err.Error()) > 2000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			if took > 5*time.Second {
				t.Errorf("took %v for %d bytes", took, len(data))
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20 {
				t.Errorf("allocated %d bytes for %d", used, len(data))
			}
		})
	}
}

// manyNames pickles a dict in which n names have the value that is in place 0 of the memo.
func manyNames(n int) string {
	var b strings.Builder
	b.WriteString("}(")
	for i := range n {
		b.WriteString(text(strings.Repeat("a", i%50) + string(rune('A'+i/50%26)) + string(rune('A'+i/1300))))
		b.WriteString("h\x00")
	}
	b.WriteString("u")
	return b.String()
}
