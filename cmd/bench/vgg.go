package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// vgg measures time and peak memory of the ansatz of all layers of a VGG-11 with 1000 outputs, on 10
// photographs of 224×224 pixels with 16 probes.
func (b *bench) vgg(ctx context.Context) ([]row, error) {
	dir, err := os.MkdirTemp("", "ansatz-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "vgg11.safetensors")
	if err := saveFresh("vgg11", 1000, file); err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, b.ansatz, "verify", "--arch", "vgg11", "--weights", file,
		"--data", filepath.Join(b.shared, "data", "photos"), "--images", "10", "--outputs", "probes:16", "--json",
		"--quiet")
	start := time.Now()
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("verify of a VGG-11: %w: %s", err, out)
	}
	return []row{{
		work: "VGG-11 at 224×224, 1000 outputs, 10 images, 16 probes, all layers",
		ours: fmt.Sprintf("%.0f s, at most %.1f GB", time.Since(start).Seconds(), peakMemory(c)/1e9),
		peer: "–", ratio: "–",
	}}, nil
}

// saveFresh writes a network with initial weights.
func saveFresh(arch string, classes int, path string) error {
	a, err := models.Lookup(arch)
	if err != nil {
		return err
	}
	n, err := a.InitNetwork(a.Input, classes, 1)
	if err != nil {
		return err
	}
	return weights.Save(path, n.StateDict(), nil)
}
