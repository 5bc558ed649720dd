// Command bench times ansatz and PyTorch on the same work, in turn, and prints the medians of the ratios
// as a Markdown table.
//
//	make bench
//
// It needs Debian's python3-torch, and the shared folder with the peers' scripts and the data. It leaves
// out what cannot be run, and says so.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// bench holds the paths of programs and folders, and the settings of a run.
type bench struct {
	ansatz, shared, python, data string
	runs                         int
	only                         string
}

// row is a row of the table.
type row struct {
	work, ours, peer, ratio string
}

func main() {
	var b bench
	flag.StringVar(&b.ansatz, "ansatz", "bin/ansatz", "the program")
	flag.StringVar(&b.shared, "shared", "../shared", "folder with peers/ and data/")
	flag.StringVar(&b.python, "python", "/usr/bin/python3", "a Python with torch")
	flag.IntVar(&b.runs, "runs", 5, "runs of each, in turn")
	flag.StringVar(&b.only, "only", "", "agop, step, vgg, ntk or networks: that part alone")
	arch := flag.String("serve", "", "take training steps of this architecture when told to")
	batch, name := flag.Int("batch", 0, "of -serve"), flag.String("backend", "", "of -serve")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := b.all
	if *arch != "" {
		run = func(ctx context.Context) error { return serve(ctx, *arch, *batch, *name) }
	}
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) all(ctx context.Context) error {
	if err := b.prepare(ctx); err != nil {
		return err
	}
	fmt.Printf("Medians of %d runs in turn on %d cores; ours: %s; PyTorch %s.\n\n", b.runs, runtime.NumCPU(),
		described(), b.torch(ctx))
	fmt.Println("| work | ansatz | PyTorch | ratio |\n|---|---|---|---|")
	for _, p := range []struct {
		name string
		rows func(context.Context) ([]row, error)
	}{{"agop", b.agop}, {"step", b.step}, {"vgg", b.vgg}, {"ntk", b.ntk}, {"networks", b.networks}} {
		if b.only != "" && b.only != p.name {
			continue
		}
		rows, err := p.rows(ctx)
		if err != nil {
			return err
		}
		for _, r := range rows {
			fmt.Printf("| %s | %s | %s | %s |\n", r.work, r.ours, r.peer, r.ratio)
		}
	}
	return nil
}

func described() string {
	if backend.Native() {
		return "native, " + backend.Version()
	}
	return "pure Go"
}

// prepare puts the data where the programs look for it.
func (b *bench) prepare(ctx context.Context) error {
	b.data = os.Getenv("ANSATZ_DATA")
	if b.data == "" {
		b.data = filepath.Join(os.TempDir(), "ansatz-data")
	}
	if _, err := os.Stat(filepath.Join(b.data, "cifar-10-batches-bin", "test_batch.bin")); err == nil {
		return nil
	}
	_, err := output(ctx, "go", "run", filepath.Join(b.shared, "data", "unpack.go"), "-to", b.data)
	return err
}

func (b *bench) torch(ctx context.Context) string {
	v, err := output(ctx, b.python, "-c", "import torch; print(torch.__version__, end='')")
	if err != nil {
		return "not found"
	}
	return string(v)
}

// agop times the ansatz of a ResNet-20 over 500 images. PyTorch's time is that of its loop alone. Ours is
// that of the whole command, with the null control and the error bars.
func (b *bench) agop(ctx context.Context) ([]row, error) {
	weights := filepath.Join(b.shared, "data", "weights", "resnet20.th")
	var ours, whole, peer []float64
	for range b.runs {
		var p, v struct{ Seconds float64 }
		if err := b.peer(ctx, &p, "agop.py", "--weights", weights, "--data", b.data, "--images", "500"); err != nil {
			return nil, err
		}
		start := time.Now()
		if err := jsonOf(ctx, &v, b.ansatz, "verify", "--arch", "resnet20", "--weights", weights, "--data", "cifar10",
			"--data-dir", b.data, "--images", "500", "--json"); err != nil {
			return nil, err
		}
		peer, ours, whole = append(peer, p.Seconds), append(ours, v.Seconds), append(whole, time.Since(start).Seconds())
	}
	return []row{
		compare("AGOP of ResNet-20, 500 images, with nulls and error bars", ours, peer, "%.2f s"),
		compare("the same, the whole command", whole, peer, "%.2f s"),
	}, nil
}

// peer runs one of the PyTorch programs.
func (b *bench) peer(ctx context.Context, v any, name string, args ...string) error {
	return jsonOf(ctx, v, b.python, append([]string{filepath.Join(b.shared, "peers", name)}, args...)...)
}

func compare(work string, ours, peer []float64, format string) row {
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = ours[i] / peer[i]
	}
	return row{work, fmt.Sprintf(format, median(ours)), fmt.Sprintf(format, median(peer)),
		fmt.Sprintf("**%.2f**", median(ratios))}
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

func jsonOf(ctx context.Context, v any, name string, args ...string) error {
	out, err := output(ctx, name, args...)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, v)
}

// output runs a program on as many threads as there are cores.
func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(os.Environ(), fmt.Sprintf("OMP_NUM_THREADS=%d", runtime.NumCPU()))
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %w: %s", name, err, exit.Stderr)
	}
	return out, err
}

// peakMemory returns the largest resident size of a finished program, in bytes.
func peakMemory(c *exec.Cmd) float64 {
	if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		return float64(u.Maxrss) * 1024
	}
	return 0
}
