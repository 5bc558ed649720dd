package totoml

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/models/archfile"
	"github.com/ansatz-lab/ansatz/models/fromonnx"
)

func TestTry(t *testing.T) {
	path := os.Getenv("TRY")
	if path == "" {
		t.Skip()
	}
	a, err := fromonnx.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	c, err := Convert(context.Background(), a, a.Input)
	t.Log(time.Since(start))
	if err != nil {
		t.Fatal(err)
	}
	t.Log(c.Arch.Notes)
	if os.Getenv("SHOW") != "" {
		archfile.Write(os.Stdout, c.Arch, a.Input, c.Outputs)
	}
}
