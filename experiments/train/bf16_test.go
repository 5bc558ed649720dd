package train

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// A training in bfloat16 reaches about the loss of one in float32, and the record says that it is in bfloat16. Its
// steps can be repeated to the bit, also if it is stopped and resumed.
func TestTrainBF16(t *testing.T) {
	if !backend.HasBF16() {
		t.Skip("no bfloat16 in this build or processor")
	}
	s := quick()
	s.Track = 0
	full, err := newQuick(t, s).Run(t.Context(), Run{Out: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s.Precision = BF16
	dir, again := t.TempDir(), t.TempDir()
	half, err := newQuick(t, s).Run(t.Context(), Run{Out: dir})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(half.Conventions.Precision, "bfloat16") {
		t.Errorf("precision: %q", half.Conventions.Precision)
	}
	last := len(full.Epochs) - 1
	a, b := full.Epochs[last].TrainLoss, half.Epochs[last].TrainLoss
	if !(math.Abs(a-b) < .1*a) || a == b {
		t.Errorf("the loss ends at %g, in float32 at %g", b, a)
	}
	ctx, cancel := context.WithCancel(t.Context())
	reports := 0
	_, err = newQuick(t, s).Run(ctx, Run{Out: again, Every: time.Nanosecond, Progress: func(Progress) {
		if reports++; reports == 8 {
			cancel()
		}
	}})
	if interrupted := new(checkpoint.InterruptedError); !errors.As(err, &interrupted) {
		t.Fatal(err)
	}
	if _, err := newQuick(t, s).Run(t.Context(), Run{Out: again, Resume: true}); err != nil {
		t.Fatal(err)
	}
	if sum(t, filepath.Join(dir, "last.safetensors")) != sum(t, filepath.Join(again, "last.safetensors")) {
		t.Error("the same training twice gives different weights")
	}
}

// The Go backend and linearizations refuse bfloat16.
func TestBF16Refused(t *testing.T) {
	s := quick()
	s.Precision, s.Backend = BF16, "go"
	var bad *input.Error
	if _, err := NewTraining(t.Context(), s); !errors.As(err, &bad) || !strings.Contains(err.Error(), "native") {
		t.Errorf("in Go: %v", err)
	}
	s = quick()
	s.Precision, s.Linearized, s.Track = BF16, true, 0
	if _, err := NewTraining(t.Context(), s); !errors.As(err, &bad) || !strings.Contains(err.Error(), "linearization") {
		t.Errorf("a linearization: %v", err)
	}
}
