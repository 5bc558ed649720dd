package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
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
	photos := filepath.Join(b.peers, "photos")
	if err := drawNoise(photos, 10, 224); err != nil {
		return nil, err
	}
	file := filepath.Join(b.peers, "vgg11.safetensors")
	if err := saveFresh("vgg11", 1000, file); err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, b.ansatz, "verify", "--arch", "vgg11", "--weights", file,
		"--data", photos, "--images", "10", "--outputs", "probes:16", "--json",
		"--quiet")
	start := time.Now()
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("verify of a VGG-11: %w: %s", err, out)
	}
	return []row{{Work: "VGG-11 at 224×224, 1000 outputs, 10 images, 16 probes, all layers", Unit: "s",
		Ours: []float64{time.Since(start).Seconds()}, Note: fmt.Sprintf("at most %.1f GB", peakMemory(c)/1e9)}}, nil
}

// drawNoise writes images of side×side pixels of noise into a folder.
func drawNoise(dir string, images, side int) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range images {
		m := image.NewNRGBA(image.Rect(0, 0, side, side))
		for i := range m.Pix {
			if m.Pix[i] = byte(rng.IntN(256)); i%4 == 3 {
				m.Pix[i] = 255
			}
		}
		var text bytes.Buffer
		if err := png.Encode(&text, m); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.png", k)), text.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
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
