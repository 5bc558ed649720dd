// Command bench times ansatz and PyTorch on the same work, in turn, and prints a Markdown table.
//
//	make bench                                   every row; an hour, on an idle machine
//	go run ./cmd/bench -only step -runs 3        one part of them
//	go run ./cmd/bench -json bench.json          the single times too
//	go run ./cmd/bench -only gpu                 on a GPU, which also needs CUDA and a PyTorch that was built for it
//
// It needs Debian's python3-torch, for ONNX python3-torchvision and python3-onnx, and no data: images are generated or
// noise, and weights random. PyTorch's programs are in peers/. A part that cannot be run is left out with a message.
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
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// bench holds the paths of the programs, and the settings of a run.
type bench struct {
	ansatz, python string
	runs           int
	peers          string // the folder of PyTorch's programs
}

// part is some rows of the table, which can be run alone.
type part struct {
	name string
	rows func(*bench, context.Context) ([]row, error)
}

var parts = []part{
	{"agop", (*bench).agop}, {"step", (*bench).step}, {"vgg", (*bench).vgg}, {"ntk", (*bench).ntk},
	{"machines", (*bench).machines}, {"networks", (*bench).networks}, {"gpu", (*bench).gpu},
	{"gpu-commands", (*bench).gpuCommands},
}

func main() {
	b := bench{}
	flag.StringVar(&b.ansatz, "ansatz", "bin/ansatz", "the program")
	flag.StringVar(&b.python, "python", "/usr/bin/python3", "a Python with torch")
	flag.IntVar(&b.runs, "runs", 5, "runs of each, in turn")
	only := flag.String("only", "", "one of the parts agop, step, vgg, ntk, machines, networks, gpu, gpu-commands")
	file := flag.String("json", "", "file for all times as JSON")
	arch := flag.String("serve", "", "take training steps of this architecture when told to")
	batch := flag.Int("batch", 0, "for -serve: images in a batch")
	var device backend.Options
	flag.StringVar(&device.Backend, "backend", "", "for -serve: native, go or gpu")
	flag.BoolVar(&device.BF16, "bf16", false, "for -serve: products in bfloat16")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := func(ctx context.Context) error { return b.all(ctx, *only, *file) }
	if *arch != "" {
		run = func(ctx context.Context) error { return serve(ctx, *arch, *batch, device) }
	}
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// all runs the parts, or one of them, prints their rows as they come, and writes them to a file if one is named.
func (b *bench) all(ctx context.Context, only, file string) error {
	if only != "" && !slices.ContainsFunc(parts, func(p part) bool { return p.name == only }) {
		return fmt.Errorf("-only %s: there is no such part; -help lists them", only)
	}
	dir, err := os.MkdirTemp("", "ansatz-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := b.unpack(dir); err != nil {
		return err
	}
	m, err := b.machine(ctx)
	if err != nil {
		return err
	}
	if b.runs < 1 {
		return fmt.Errorf("-runs %d: want at least 1", b.runs)
	}
	r := result{Machine: m, Runs: b.runs}
	fmt.Printf("%s\n\n%s\n", r.Machine.sentence(b.runs), tableHead)
	for _, p := range parts {
		if only != "" && only != p.name {
			continue
		}
		rows, err := p.rows(b, ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, row := range rows {
			fmt.Println(row.markdown(m.Sgemm))
		}
		r.Rows = append(r.Rows, rows...)
		if err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s, or the rest of it, is left out: %v\n", p.name, err)
		}
	}
	if file == "" {
		return nil
	}
	return atomicfile.WriteJSON(file, r)
}

func jsonOf(ctx context.Context, v any, name string, args ...string) error {
	out, err := output(ctx, name, args...)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, v)
}

// decoded reads JSON into v and returns a number of it.
func decoded(v any, text []byte, number func() float64) (float64, error) {
	if err := json.Unmarshal(text, v); err != nil {
		return 0, err
	}
	return number(), nil
}

// output runs a program on as many threads as there are cores.
func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(environment(), fmt.Sprintf("OMP_NUM_THREADS=%d", runtime.NumCPU()))
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %w: %s", name, err, exit.Stderr)
	}
	return out, err
}

// environment returns the environment without the variables that the native backend sets to make threads sleep early:
// PyTorch would read them too. Where OpenBLAS does not know the processor, the native backend chooses another for it;
// PyTorch may use the same OpenBLAS, and gets the same choice.
func environment() []string {
	const processor = "OPENBLAS_CORETYPE"
	vars := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GOMP_SPINCOUNT=") || strings.HasPrefix(v, "OPENBLAS_THREAD_TIMEOUT=")
	})
	if _, name, native := strings.Cut(backend.Version(), " for "); native && os.Getenv(processor) == "" {
		vars = append(vars, processor+"="+name)
	}
	return vars
}

// peakMemory returns the largest resident size of a finished program, in bytes.
func peakMemory(c *exec.Cmd) float64 {
	if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		return float64(u.Maxrss) * 1024
	}
	return 0
}
