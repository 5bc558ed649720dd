package record

import (
	"bytes"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/memory"
)

func TestModelName(t *testing.T) {
	for text, want := range map[string]string{
		"processor\t: 0\nmodel name\t: A: fast one \nmodel name\t: other\n": "A: fast one", "model\t: 3\n": "",
		"": "", "model name": "",
	} {
		if got := modelName(strings.NewReader(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestVersionIn(t *testing.T) {
	set := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: modified}}
	}
	for want, info := range map[string]debug.BuildInfo{
		"0123456789ab": {Settings: set("false")}, "0123456789ab-dirty": {Settings: set("true")},
		"v0.2.0": {Main: debug.Module{Version: "v0.2.0"}},
	} {
		if got := versionIn(&info); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestOneThread(t *testing.T) {
	for _, c := range []struct {
		u       Usage
		threads int
		want    float64
	}{
		{Usage{Seconds: 10, CPU: 5}, 1, 5}, // another process took the other half of the time
		{Usage{Seconds: 10, CPU: 11}, 1, 10},
		{Usage{Seconds: 10, CPU: 17}, 2, 17},
		{Usage{Seconds: 10}, 1, 10},
	} {
		if got := c.u.OneThread(c.threads); got != c.want {
			t.Errorf("%+v on %d threads: %g, want %g", c.u, c.threads, got, c.want)
		}
	}
}

// The peak of a run includes the memory that it holds, and its CPU time includes its computations.
func TestUsage(t *testing.T) {
	if memory.OfProcess("VmHWM") == 0 || processorTime() == 0 {
		t.Skip("the system does not tell")
	}
	var held []byte
	u, err := MeasureUsage(func() error {
		held = bytes.Repeat([]byte{1}, 64<<20)
		for range 40 { // some hundredths of a second
			bytes.Count(held, []byte{2})
		}
		return nil
	})
	if err != nil || u.Peak < int64(len(held)) || u.CPU <= 0 || u.Seconds <= 0 {
		t.Errorf("%+v, %v", u, err)
	}
}
