package theory

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/patches"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// linearTask is a set of images with two labels for a linear CNN to learn.
type linearTask struct {
	shape  data.Shape
	patch  int
	px     []float32 // by image, (row, column, channel)
	labels []int
	k      *mat.Dense // the average patches
	closed *energy.LinearCNN
}

// openEnergyTask returns small images of dead leaves, whose patches resemble natural ones.
func (t *theory) openEnergyTask() (*linearTask, data.Dataset, error) {
	set, err := data.Open("deadleaves",
		data.Options{Split: "train", Count: energyImages, Size: energySide, Seed: t.seed})
	if err != nil {
		return nil, nil, err
	}
	task, err := t.readLinearTask(set, energyPatch)
	return task, set, err
}

// readLinearTask reads all images of a set.
func (t *theory) readLinearTask(set data.Dataset, patch int) (*linearTask, error) {
	l := &linearTask{shape: set.Shape(), patch: patch}
	size := l.shape.Pixels()
	l.px = make([]float32, set.Len()*size)
	for i := range set.Len() {
		label, err := set.Read(i, l.px[i*size:][:size])
		if err != nil {
			return nil, err
		}
		l.labels = append(l.labels, label)
	}
	var err error
	if l.k, err = patches.Averages(t.ctx, set, patch); err != nil {
		return nil, err
	}
	l.closed, err = energy.NewLinearCNN(l.k)
	return l, err
}

// targets returns the labels as numbers.
func (l *linearTask) targets() []float64 {
	var y []float64
	for _, v := range l.labels {
		y = append(y, float64(v))
	}
	return y
}

// linearTraining is a linear CNN that package models trains in float64.
type linearTraining struct {
	*linearTask
	trainer *models.Trainer
	filters []float64 // m×d, the trainer's own
	width   int
}

// newLinearTraining returns a linear CNN of a width, to be trained at a learning rate.
func (t *theory) newLinearTraining(l *linearTask, width int, rate float64) (*linearTraining, error) {
	a, err := models.Lookup(fmt.Sprintf("linear-cnn:%d", l.patch))
	if err != nil {
		return nil, err
	}
	a.Width = float64(width) / setups.LinearCNNFilters
	net, err := a.InitNetwork(models.Shape{Channels: l.shape.Channels, Height: l.shape.Height, Width: l.shape.Width}, 2,
		t.seed)
	if err != nil {
		return nil, err
	}
	s := &linearTraining{linearTask: l, width: width}
	s.trainer, err = models.NewTrainer(net, t.device, setups.DescentOptions(len(l.labels), rate, graph.Double))
	if err != nil {
		return nil, err
	}
	w, _ := s.trainer.State().Get("weights/conv.weight")
	s.filters = w.Float64s()
	return s, nil
}

// setFilters replaces the network's filters, m×d.
func (s *linearTraining) setFilters(w *mat.Dense) {
	copy(s.filters, mat.DenseCopyOf(w).RawMatrix().Data)
}

// copyFilters returns a copy of the filters.
func (s *linearTraining) copyFilters() *mat.Dense {
	return mat.NewDense(s.width, len(s.filters)/s.width, append([]float64(nil), s.filters...))
}

// takeSteps takes full-batch steps with the given labels.
func (s *linearTraining) takeSteps(t *theory, labels []int, steps int) error {
	for range steps {
		if _, err := s.trainer.Step(t.ctx, s.px, labels); err != nil {
			return err
		}
	}
	return nil
}

// loss returns ‖Kw − y‖²/N.
func (l *linearTask) loss(w, y []float64) float64 {
	var r mat.VecDense
	r.MulVec(l.k, mat.NewVecDense(len(w), w))
	r.SubVec(&r, mat.NewVecDense(len(y), y))
	return mat.Dot(&r, &r) / float64(len(y))
}
