package alignmentpaper

import (
	"math"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// The record has the images that a network learned, and says which of them were measured.
func TestNetworksRecordTheirImages(t *testing.T) {
	s := *networks().Specs[study.Smoke].(*NetworksSpec)
	s.Networks = s.Networks[:1]
	o, err := s.Run(t.Context(), study.Setting{Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Data) != 2 || o.Data[0].Images != 32 || o.Data[1].Images != s.Images ||
		!strings.HasSuffix(o.Data[1].Name, "measured on the first 10 training images") || o.Data[0].SHA256 == o.Data[1].SHA256 {
		t.Errorf("%+v", o.Data)
	}
}

func TestMeanOfDefined(t *testing.T) {
	if got := meanOfDefined([]float64{1, math.NaN(), 3}); got != 2 {
		t.Errorf("%v, want 2", got)
	}
	if got := meanOfDefined([]float64{math.NaN()}); !math.IsNaN(got) {
		t.Errorf("%v, want NaN", got)
	}
}
