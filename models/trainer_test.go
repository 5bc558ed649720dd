package models

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// brightness is a task that is easy to learn: images of class 1 are brighter in their upper half.
type brightness struct{ rng *rand.Rand }

func (b brightness) batch(n int) (px []float32, labels []int) {
	px, labels = make([]float32, n*36), make([]int, n)
	for i := range labels {
		labels[i] = b.rng.IntN(2)
		for k := range 36 {
			px[i*36+k] = float32(b.rng.NormFloat64())
			if labels[i] == 1 && k < 18 {
				px[i*36+k] += 2
			}
		}
	}
	return px, labels
}

func newBrightness() brightness { return brightness{rand.New(rand.NewPCG(1, 2))} }

// smallNet returns a network with a convolution, a batch norm and a dropout.
func smallNet(t testing.TB) *Network {
	t.Helper()
	a := &Architecture{Name: "small", Input: Shape{1, 6, 6}, Root: Sequential{
		{"conv", Conv{Filters: 8, Kernel: [2]int{3, 3}}}, {"bn", BatchNorm{}}, {"", ReLU{}}, {"", Dropout{.1}},
		{"fc", Linear{}},
	}}
	n, err := a.InitNetwork(a.Input, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func newTrainer(t testing.TB, n *Network, o TrainOptions) *Trainer {
	t.Helper()
	tr, err := NewTrainer(n, device(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func step(t *testing.T, tr *Trainer, px []float32, labels []int) Score {
	t.Helper()
	s, err := tr.Step(t.Context(), px, labels)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sharedNorm applies one batch norm twice.
type sharedNorm struct{}

func (sharedNorm) Build(b *Builder, name string, x *graph.Node) *graph.Node {
	c := x.Shape()[x.Dims()-1]
	p := graph.Norm{Gamma: b.Declare(name+".weight", NormScale, nil, c), Beta: b.Declare(name+".bias", NormShift, nil, c),
		Mean: b.Declare(name+".running_mean", NormMean, nil, c), Var: b.Declare(name+".running_var", NormVar, nil, c), Eps: 1e-5}
	return b.NormaliseBatch(b.Shift(2, b.NormaliseBatch(x, p, .1)), p, .1)
}

// TestSharedNorm checks that a batch norm that a network applies twice follows both inputs, one after the other.
func TestSharedNorm(t *testing.T) {
	a := &Architecture{Name: "shared", Input: Shape{1, 1, 2}, Root: Sequential{{"", Flatten{}}, {"bn", sharedNorm{}}, {"fc", Linear{}}}}
	n, err := a.InitNetwork(a.Input, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	tr := newTrainer(t, n, TrainOptions{Batch: 4, Optimiser: SGD{LR: .1}})
	step(t, tr, []float32{1, 2, 3, 4, 5, 6, 7, 8}, []int{0, 1, 0, 1})
	for i, mean := range []float64{4, 5} { // of the first input; that of the second is 2
		if got, want := float64(n.Value("bn.running_mean").Float32s()[i]), .9*.1*mean+.1*2; math.Abs(got-want) > 1e-6 {
			t.Errorf("running mean %v, want %v", got, want)
		}
	}
}

var smallOptions = TrainOptions{Batch: 16, Optimiser: SGD{LR: .1, Momentum: .9, WeightDecay: 1e-4}, Seed: 3}

// Training lowers the loss, updates the running statistics, and gives the same weights every time.
func TestTrainer(t *testing.T) {
	run := func() (first, last Score, n *Network) {
		n = smallNet(t)
		tr, task := newTrainer(t, n, smallOptions), newBrightness()
		for k := range 40 {
			px, labels := task.batch(16)
			last = step(t, tr, px, labels)
			if k == 0 {
				first = last
			}
		}
		px, labels := task.batch(200)
		s, err := tr.Evaluate(t.Context(), px, labels)
		if err != nil || s.Images != 200 || s.Accuracy() < .95 {
			t.Errorf("of new images: %+v, %v", s, err)
		}
		return first, last, n
	}
	first, last, n := run()
	if !(last.MeanLoss() < .2*first.MeanLoss()) {
		t.Errorf("loss from %.3f to %.3f in 40 steps", first.MeanLoss(), last.MeanLoss())
	}
	if v := n.Value("bn.running_var").Float32s()[0]; v == 1 {
		t.Error("the running variance did not move")
	}
	_, _, again := run()
	if n.StateDict().SHA256() != again.StateDict().SHA256() {
		t.Error("the same seed gave other weights")
	}
}

// TestOneOutput checks that a network of one output learns the label, 0 or 1, and predicts 1 if its output is above
// 1/2. It cannot be trained with cross-entropy, and has no other labels.
func TestOneOutput(t *testing.T) {
	a, err := Lookup("linear-cnn")
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.InitNetwork(Shape{1, 6, 6}, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewTrainer(n, device(t), TrainOptions{Batch: 16, Optimiser: SGD{LR: 1}}); err == nil ||
		!strings.Contains(err.Error(), "mean squared error") {
		t.Errorf("cross-entropy of one output: %v", err)
	}
	tr, task := newTrainer(t, n, TrainOptions{Batch: 16, Optimiser: SGD{LR: 5}, Loss: MeanSquaredError}),
		newBrightness()
	for range 60 {
		px, labels := task.batch(16)
		step(t, tr, px, labels)
	}
	px, labels := task.batch(300)
	s, err := tr.Evaluate(t.Context(), px, labels)
	if err != nil || s.Accuracy() < .9 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := tr.Evaluate(t.Context(), px, append([]int{2}, labels[1:]...)); err == nil ||
		!strings.Contains(err.Error(), "want 0 to 1") {
		t.Errorf("label 2: %v", err)
	}
}

// TestTrainerBatchNormStatistics compares running statistics with results that were worked out by hand.
func TestTrainerBatchNormStatistics(t *testing.T) {
	a := &Architecture{Root: Sequential{{"bn", BatchNorm{Momentum: .25}}, {"fc", Linear{}}}, Input: Shape{1, 1, 1}}
	for _, p := range []graph.Precision{graph.Single, graph.Double} {
		n, err := a.InitNetwork(a.Input, 2, 1)
		if err != nil {
			t.Fatal(err)
		}
		tr := newTrainer(t, n, TrainOptions{Batch: 4, Optimiser: SGD{LR: .1}, Precision: p})
		step(t, tr, []float32{1, 2, 3, 6}, []int{0, 1, 0, 1})
		tr.Sync()
		// The mean is 3 and the unbiased variance 14/3.
		if m := n.Value("bn.running_mean").Float32s()[0]; math.Abs(float64(m)-.75) > 1e-6 {
			t.Errorf("running mean %v, want .75", m)
		}
		if v := n.Value("bn.running_var").Float32s()[0]; math.Abs(float64(v)-(.75+.25*14/3)) > 1e-6 {
			t.Errorf("running variance %v, want %v", v, .75+.25*14/3)
		}
	}
}

// A trainer that is restored from a checkpoint takes the same steps as one that was not stopped, bit for bit, including
// dropout and the state of the optimiser.
func TestCheckpoint(t *testing.T) {
	for _, o := range []Optimiser{SGD{LR: .05, Momentum: .9}, Adam{LR: .01}, Adadelta{LR: 1}} {
		for _, p := range []graph.Precision{graph.Single, graph.Double} {
			options := TrainOptions{Batch: 16, Optimiser: o, Precision: p, Seed: 7}
			whole, cut := newTrainer(t, smallNet(t), options), newTrainer(t, smallNet(t), options)
			path := filepath.Join(t.TempDir(), "checkpoint")
			one, other := newBrightness(), newBrightness()
			for k := range 9 {
				px, labels := one.batch(16)
				step(t, whole, px, labels)
				if k == 4 {
					if err := SaveCheckpoint(path, cut.State(), map[string]string{"epoch": "1"}); err != nil {
						t.Fatal(err)
					}
					d, notes, err := OpenCheckpoint(path)
					if err != nil || notes["epoch"] != "1" {
						t.Fatalf("notes %v: %v", notes, err)
					}
					cut = newTrainer(t, smallNet(t), options)
					if err := cut.Restore(d); err != nil {
						t.Fatal(err)
					}
				}
				px, labels = other.batch(16)
				step(t, cut, px, labels)
			}
			if whole.State().SHA256() != cut.State().SHA256() {
				t.Errorf("%v, precision %v: the restored training went another way", o, p)
			}
		}
	}
}

func TestCheckpointMistakes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "checkpoint")
	tr := newTrainer(t, smallNet(t), smallOptions)
	if err := SaveCheckpoint(path, tr.State(), nil); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	state, _, err := OpenCheckpoint(path)
	if err != nil {
		t.Fatal(err)
	}

	var mismatch *weights.MismatchError
	lenet, _ := Lookup("lenet")
	n, _ := lenet.InitNetwork(lenet.Input, 10, 1)
	if err := newTrainer(t, n, smallOptions).Restore(state); !errors.As(err, &mismatch) {
		t.Errorf("the checkpoint of another architecture: %v", err)
	}
	adam := TrainOptions{Batch: 16, Optimiser: Adam{LR: .1}}
	if err := newTrainer(t, smallNet(t), adam).Restore(state); !errors.As(err, &mismatch) {
		t.Errorf("the checkpoint of another optimiser: %v", err)
	}
	double := smallOptions
	double.Precision = graph.Double
	if err := newTrainer(t, smallNet(t), double).Restore(state); err == nil ||
		!strings.Contains(err.Error(), "precision") {
		t.Errorf("the checkpoint of another precision: %v", err)
	}

	var broken *CheckpointError
	if _, _, err := OpenCheckpoint(filepath.Join(dir, "none")); !errors.As(err, &broken) ||
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for k := range 40 { // one bit is flipped
		bad := append([]byte(nil), good...)
		bad[len(bad)*k/40] ^= 1 << (k % 8)
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := OpenCheckpoint(path); !errors.As(err, &broken) {
			t.Errorf("bit %d of byte %d flipped: %v", k%8, len(bad)*k/40, err)
		}
	}
	for _, length := range []int{0, 100, len(good) - 1} { // the message must not suggest fetching the file again
		if err := os.WriteFile(path, good[:length], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := OpenCheckpoint(path); !errors.As(err, &broken) || strings.Contains(err.Error(), "fetch") ||
			!strings.Contains(err.Error(), "begin again in another folder") {
			t.Errorf("cut after %d bytes: %v", length, err)
		}
	}
	if err := weights.Save(path, tr.State(), nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := OpenCheckpoint(path); err == nil || !strings.Contains(err.Error(), "not a checkpoint") {
		t.Errorf("a file of weights: %v", err)
	}
	smallWeights := tr.net.Value("fc.weight").Float32s()
	smallWeights[0] = float32(math.NaN())
	var nan *NotFiniteError
	if err := SaveCheckpoint(path, tr.State(), nil); !errors.As(err, &nan) {
		t.Errorf("a state with a NaN was saved: %v", err)
	}
}

// Frozen parameters keep their values, and all others change.
func TestFrozen(t *testing.T) {
	n := smallNet(t)
	before := n.Clone()
	o := smallOptions
	o.Frozen = regexp.MustCompile(`^conv\.|bn\.bias`)
	tr, task := newTrainer(t, n, o), newBrightness()
	for range 3 {
		px, labels := task.batch(16)
		step(t, tr, px, labels)
	}
	for _, p := range n.Parameters() {
		same := true
		for i, v := range n.Value(p.Name).Float32s() {
			same = same && v == before.Value(p.Name).Float32s()[i]
		}
		if same != o.Frozen.MatchString(p.Name) {
			t.Errorf("%s: unchanged is %v", p.Name, same)
		}
	}
	for _, all := range []string{"nothing", "."} {
		o.Frozen = regexp.MustCompile(all)
		if _, err := NewTrainer(n, device(t), o); err == nil ||
			!strings.Contains(err.Error(), "conv.weight, conv.bias") {
			t.Errorf("freezing %q: %v", all, err)
		}
	}
}

// A step with fewer images than the batch size equals a step of a trainer whose batch size is that number of images.
// Smaller batches take no more memory.
func TestPartialBatch(t *testing.T) {
	one, two := smallNet(t), smallNet(t)
	o := smallOptions
	large := newTrainer(t, one, o)
	o.Batch = 5
	small := newTrainer(t, two, o)
	px, labels := newBrightness().batch(5)
	for range 3 {
		if a, b := step(t, large, px, labels), step(t, small, px, labels); a != b {
			t.Errorf("scores %+v and %+v", a, b)
		}
	}
	if one.StateDict().SHA256() != two.StateDict().SHA256() {
		t.Error("weights differ")
	}
	bytes := large.arena.Bytes()
	for n := 2; n < 16; n++ {
		px, labels := newBrightness().batch(n)
		step(t, large, px, labels)
	}
	if large.arena.Bytes() != bytes {
		t.Errorf("smaller batches took more memory: %d bytes, before %d", large.arena.Bytes(), bytes)
	}
}

func TestTrainerMistakes(t *testing.T) {
	a, _ := Lookup("lenet")
	n, _ := a.InitNetwork(a.Input, 10, 1)
	d := device(t)
	for _, o := range []TrainOptions{
		{Batch: 0, Optimiser: SGD{LR: .1}},
		{Batch: 1, Optimiser: SGD{}},
		{Batch: 1, Optimiser: SGD{LR: math.NaN()}},
		{Batch: 1, Optimiser: SGD{LR: .1, Momentum: 1}},
		{Batch: 1, Optimiser: SGD{LR: .1, WeightDecay: -1}},
		{Batch: 1, Optimiser: Adam{LR: .1, Beta2: 2}},
		{Batch: 1, Optimiser: Adadelta{LR: .1, Rho: -1}},
	} {
		if _, err := NewTrainer(n, d, o); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	tr, err := NewTrainer(n, d, TrainOptions{Batch: 2, Optimiser: SGD{LR: .1}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, px := context.Background(), make([]float32, 2*28*28)
	for name, err := range map[string]error{
		"too few labels":  second(tr.Step(ctx, px, []int{0})),
		"too many images": second(tr.Step(ctx, make([]float32, 3*28*28), []int{0, 1, 2})),
		"no image":        second(tr.Step(ctx, nil, nil)),
		"too few pixels":  second(tr.Step(ctx, px[1:], []int{0, 1})),
	} {
		if err == nil {
			t.Error(name)
		}
	}
	if _, err := tr.Step(ctx, px, []int{0, 10}); err == nil || !strings.Contains(err.Error(), "want 0 to 9") {
		t.Errorf("a label out of range: %v", err)
	}
	before := n.StateDict().SHA256()
	px[0] = float32(math.Inf(1))
	var diverged *DivergedError
	if _, err := tr.Step(ctx, px, []int{0, 1}); !errors.As(err, &diverged) {
		t.Errorf("a step with an infinite pixel: %v", err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	px[0] = 0
	if _, err := tr.Step(stopped, px, []int{0, 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("a step that was stopped: %v", err)
	}
	if n.StateDict().SHA256() != before || tr.Steps() != 0 {
		t.Error("a step that failed changed the weights")
	}
}

func second(_ Score, err error) error { return err }

func TestSchedule(t *testing.T) {
	for text, want := range map[string][]float64{ // by PyTorch, with a first rate of .5, over 6 epochs
		"":                   {.5, .5, .5, .5, .5, .5},
		"constant":           {.5, .5, .5, .5, .5, .5},
		"step:2":             {.5, .5, .05, .05, .005, .005},
		"step:4:0.5":         {.5, .5, .5, .5, .25, .25},
		"milestones:1,4:0.2": {.5, .1, .1, .1, .02, .02},
		"cosine":             {.5, .4665063509461097, .375, .25, .125, .03349364905389035},
	} {
		s, err := ParseSchedule(text)
		if err != nil {
			t.Fatal(err)
		}
		for epoch, w := range want {
			if got := s.LR(.5, epoch, 6); math.Abs(got-w) > 1e-15 {
				t.Errorf("%q: rate %v in epoch %d, want %v", text, got, epoch, w)
			}
		}
	}
	for _, text := range []string{"linear", "step", "step:0", "step:1,2", "milestones:3,2", "milestones:", "step:2:0",
		"step:2:x", "cosine:3", "constant:1", "step:NaN", "cosine:", "constant:", ":"} {
		if _, err := ParseSchedule(text); err == nil || !strings.Contains(err.Error(), "cosine") &&
			!strings.Contains(err.Error(), "is not") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if s, err := ParseSchedule("cosine"); err != nil || !s.NeedsEpochs() {
		t.Errorf("cosine: %v, needs epochs %v", err, s.NeedsEpochs())
	}
}

func FuzzParseSchedule(f *testing.F) {
	for _, text := range []string{"", "constant", "cosine", "step:3:0.5", "milestones:1,2,9:.1", "step:-1",
		"milestones:"} {
		f.Add(text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, epoch int) {
		s, err := ParseSchedule(text)
		if err != nil {
			return
		}
		epoch = max(epoch, -epoch) % 100
		if lr := s.LR(1, epoch, 100); !(lr >= 0) {
			t.Errorf("%q: rate %v in epoch %d", text, lr, epoch)
		}
		if again, err := ParseSchedule(s.String()); err != nil || again.LR(1, epoch, 100) != s.LR(1, epoch, 100) {
			t.Errorf("%q: its own text %q is another schedule: %v", text, s, err)
		}
	})
}

// The masks of a dropout are drawn anew for every step. They keep the right fraction of the values and scale the values
// that they keep.
func TestDropoutMasks(t *testing.T) {
	n := smallNet(t)
	n.Arch.Dropout = .3
	tr, task := newTrainer(t, n, smallOptions), newBrightness()
	var before []float32
	kept, total := 0, 0
	for range 20 {
		px, labels := task.batch(16)
		step(t, tr, px, labels)
		p, err := tr.pass(train, 16)
		if err != nil {
			t.Fatal(err)
		}
		mask := p.f.Data(p.masks[0].node).Float32s()
		same := 0
		for i, v := range mask {
			if v != 0 && math.Abs(float64(v)-1/.7) > 1e-6 {
				t.Fatalf("a factor of %v", v)
			}
			if v != 0 {
				kept++
			}
			if before != nil && v == before[i] {
				same++
			}
		}
		total += len(mask)
		if same == len(mask) {
			t.Error("two steps have the same mask")
		}
		before = append(before[:0], mask...)
	}
	if f := float64(kept) / float64(total); math.Abs(f-.7) > .01 {
		t.Errorf("%.3f are kept, want .7 of %d", f, total)
	}
}
