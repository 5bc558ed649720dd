package models

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/models/weights"
)

// FuzzCheckpoint restores a trainer from arbitrary tensors. It does not check the digest of a checkpoint, since anyone
// who makes a checkpoint can also make its digest.
func FuzzCheckpoint(f *testing.F) {
	n := smallNet(f)
	tr := newTrainer(f, n, smallOptions)
	px, labels := newBrightness().batch(16)
	if _, err := tr.Step(context.Background(), px, labels); err != nil {
		f.Fatal(err)
	}
	var whole bytes.Buffer
	if err := weights.WriteSafetensors(&whole, tr.State(), nil); err != nil {
		f.Fatal(err)
	}
	text := whole.Bytes()
	f.Add(text)
	f.Add(text[:len(text)/2])
	for old, new := range map[string]string{`[8,1,3,3]`: `[1,8,3,3]`, `"dtype":"I64"`: `"dtype":"F64"`,
		`"weights/fc.weight"`: `"weights/fc.weighs"`} {
		if !bytes.Contains(text, []byte(old)) {
			f.Fatalf("a checkpoint does not have %s", old)
		}
		f.Add(bytes.Replace(text, []byte(old), []byte(new), 1))
	}
	for _, steps := range []int64{-1, 1 << 62} { // the number of steps, which is 1 in the text
		f.Add(bytes.Replace(text, binary.LittleEndian.AppendUint64(nil, 1),
			binary.LittleEndian.AppendUint64(nil, uint64(steps)), 1))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		d, err := weights.ReadSafetensors(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return
		}
		before := tr.State().SHA256()
		if err := tr.Restore(d); err != nil {
			if after := tr.State().SHA256(); after != before {
				t.Fatalf("the trainer is another after %v", err)
			}
			return
		}
		if tr.Steps() < 0 || tr.State().SHA256() != d.SHA256() {
			t.Fatalf("after %d steps the trainer is not what the checkpoint holds", tr.Steps())
		}
		// If the weights are NaN or infinite, the next step returns an error and does not panic.
		var diverged *DivergedError
		if _, err := tr.Step(t.Context(), px, labels); err != nil && !errors.As(err, &diverged) {
			t.Fatal(err)
		}
	})
}

// FuzzLookup checks that a name and an initialisation are refused, or that the architecture can be described without
// building its network.
func FuzzLookup(f *testing.F) {
	for _, name := range append(Names(), "mlp:3,4", "mlp:", "mlp:-1", "mlp:9999999999",
		"mlp:"+strings.Repeat("1,", 5000)+"1", "cnn-max:5", "cnn3:0", "cnn3:99999999999999999999", "linear-cnn:5:5",
		":", "resnet20:3") {
		f.Add(name, "")
	}
	for _, init := range []string{"pytorch", "kaiming", "normal:1,2", "normal:", "normal:nan", "normal:inf",
		"normal:-1", "normal:1e308", "normal:" + strings.Repeat("1,", 100) + "1"} {
		f.Add("cnn3", init)
	}
	f.Fuzz(func(t *testing.T, name, init string) {
		if strings.HasSuffix(name, ".toml") {
			t.Skip("a file")
		}
		a, err := Lookup(name)
		if err != nil {
			return
		}
		if err := a.SetInit(init); err != nil {
			return
		}
		if a.Init.String() == "" || a.Name == "" {
			t.Fatalf("%q, %q: no name or initialisation", name, init)
		}
		if n, err := a.Describe(a.Input, 10); err == nil && len(n.Parameters) == 0 {
			t.Fatalf("%q has no parameters", name)
		}
	})
}
