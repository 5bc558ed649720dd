package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"syscall"
	"time"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
)

// Training is a training that has its network and images.
type Training struct {
	spec    TrainSpec
	plan    trainPlan
	data    *trainData
	net     *models.Network
	initial *models.Network // a copy of what net was before training
	conv    TrainConventions
}

// NewTraining opens what the spec names. Its errors are the input's, unless the
// context ends.
func NewTraining(ctx context.Context, s TrainSpec) (*Training, error) {
	a, err := lookup(s.Arch)
	if err != nil {
		return nil, err
	}
	return newTraining(ctx, s, a)
}

// newTraining prepares the training of an architecture.
func newTraining(ctx context.Context, s TrainSpec, a *models.Architecture) (*Training, error) {
	s = s.withDefaults()
	t := &Training{spec: s}
	var err error
	if t.plan, err = s.plan(); err != nil {
		return nil, err
	}
	if err := s.configure(a); err != nil {
		return nil, err
	}
	if t.data, err = openTrainData(ctx, s, t.plan.labels, a); err != nil {
		return nil, err
	}
	if err := t.begin(a); err != nil {
		return nil, err
	}
	if err := t.batches().Check(); err != nil {
		return nil, &InputError{err}
	}
	return t, t.describe()
}

// configure applies the spec's settings of the architecture.
func (s TrainSpec) configure(a *models.Architecture) error {
	if a.Width = s.Width; !(s.Width >= 0) || math.IsInf(s.Width, 0) {
		return badInput("--width %v: want a finite number above 0", s.Width)
	}
	if err := a.SetInit(s.Init); err != nil {
		return &InputError{fmt.Errorf("--init: %w", err)}
	}
	if !(s.Dropout >= 0 && s.Dropout < 1) {
		return badInput("--dropout %v: want at least 0 and less than 1", s.Dropout)
	}
	a.Dropout = s.Dropout
	return nil
}

// begin makes the network: with fresh weights, or those of a file.
func (t *Training) begin(a *models.Architecture) (err error) {
	if t.spec.InitWeights != "" {
		if t.net, _, err = openWeights(a, t.spec.InitWeights, t.data.shape()); err != nil {
			return err
		}
		t.net = t.net.Clone() // the file's tensors are not ours to change
	} else if t.net, err = a.InitNetwork(t.data.shape(), t.data.classes, t.spec.Seed); err != nil {
		if in := t.data.shape(); in.Height < a.Input.Height {
			err = fmt.Errorf("%w: it was made for images of %v; --size scales them", err, a.Input)
		}
		return &InputError{err}
	}
	switch {
	case t.net.Classes == t.data.classes:
	case t.net.Classes == 1 && t.data.classes == 2 && t.plan.options.Loss == models.MeanSquaredError:
	case t.net.Classes == 1:
		return badInput("%s has one output, whose target is the label, 0 or 1: train it with --loss mse on two classes (--classes A,B), not with %s on the %d of %s",
			a.Name, t.plan.options.Loss, t.data.classes, t.spec.Data)
	default:
		return badInput("the network has %d outputs, %s has %d classes", t.net.Classes, t.spec.Data, t.data.classes)
	}
	if t.spec.Dropout > 0 && t.net.Dropouts() == 0 {
		return badInput("--dropout %v: %s has no dropout layer; a network with some can be written in TOML", t.spec.Dropout, a.Name)
	}
	t.initial = t.net.Clone()
	return nil
}

// batches is the pipeline of the training images.
func (t *Training) batches() *data.Pipeline {
	return &data.Pipeline{
		Dataset: t.data.train, Normalisation: t.data.normalisation, Augmentation: t.plan.augment,
		Batch: min(t.spec.Batch, t.data.train.Len()), Seed: t.spec.Seed,
	}
}

// TrainRun says how a training is run. The zero value keeps everything in
// memory.
type TrainRun struct {
	// Out is the folder for checkpoints, weights and records.
	Out string
	// Resume goes on with the run in Out, if there is one.
	Resume bool
	// Every is the time between two checkpoints within an epoch; 0 is
	// [DefaultCheckpointEvery].
	Every time.Duration
	// Progress, if not nil, is told how far the run is.
	Progress func(TrainProgress)
}

// DefaultCheckpointEvery is how much of a run may have to be done again.
const DefaultCheckpointEvery = 30 * time.Second

// TrainProgress is how far a training is: Done of Total steps, in an epoch
// counted from 1 whose mean loss and accuracy so far are those of Score.
type TrainProgress struct {
	Stage         string // training, testing, validating or measuring
	Done, Total   int
	Epoch, Epochs int
	Score         models.Score
	// Ended is the epoch that has just ended, nil between.
	Ended *EpochRecord
}

// InterruptedError is returned by a run that was stopped and can go on.
type InterruptedError struct{ Checkpoint string }

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("interrupted: everything so far is in %s; run the same command again with --resume", e.Checkpoint)
}

// Check says, before anything is computed, whether Run can write to the folder
// and go on from what is there. It changes nothing.
func (t *Training) Check(r TrainRun) error {
	_, err := openTrainFolder(r, t.spec)
	return err
}

// Run trains. A run that is interrupted saves a checkpoint and returns an
// [*InterruptedError].
func (t *Training) Run(ctx context.Context, r TrainRun) (*TrainRecord, error) {
	s, err := t.session(r)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := s.restore(); err != nil {
		return nil, s.explain(ctx, err)
	}
	if err := s.train(ctx); err != nil {
		return nil, s.explain(ctx, err)
	}
	record, err := s.finish(ctx)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	return record, nil
}

// explain says what an error that ended the run means for it; of a run that was
// stopped it saves a checkpoint.
func (s *session) explain(ctx context.Context, err error) error {
	var diverged *models.DivergedError
	switch {
	case ctx.Err() != nil:
		return s.interrupted(ctx)
	case errors.As(err, &diverged):
		return s.diverged(err)
	case errors.Is(err, syscall.ENOSPC) && s.folder != nil:
		return fmt.Errorf("%w\nMake room and run the same command again with --resume: what was saved before is whole", err)
	}
	return err
}

// session is one run of a training.
type session struct {
	*Training
	run     TrainRun
	device  *backend.Device
	trainer *models.Trainer
	folder  *trainFolder
	state   trainState
	best    *models.Network // the best weights, where there is no folder
	tracker *cnfa.Tracker   // nil unless the ansatz is tracked
	times   []float64       // seconds of the steps of this session
	saved   time.Time       // when the last checkpoint was written
	stopped string          // why the training ended, "" while it goes on
}

func (t *Training) session(r TrainRun) (*session, error) {
	s := &session{Training: t, run: r, saved: time.Now()}
	var err error
	if s.folder, err = openTrainFolder(r, t.spec); err != nil {
		return nil, err
	}
	if s.device, err = backend.Open(backend.Options{Backend: t.spec.Backend, Threads: t.spec.Threads}); err != nil {
		return nil, err
	}
	o := t.plan.options
	o.Batch, o.Memory = t.batches().Batch, availableMemory()
	var memory *graph.MemoryError
	if s.trainer, err = models.NewTrainer(t.net, s.device, o); errors.As(err, &memory) {
		err = badInput("%w: take a smaller --batch than %d", err, o.Batch)
	}
	if err == nil && t.spec.Track > 0 {
		s.tracker, err = t.tracker()
	}
	if err != nil {
		s.close()
		return nil, &InputError{err}
	}
	return s, nil
}

func (s *session) close() {
	if s.tracker != nil {
		s.tracker.Close()
	}
	s.device.Close()
}

// train takes the steps that are left.
func (s *session) train(ctx context.Context) error {
	if err := s.trackIfDue(ctx); err != nil { // before the first step, or where the run was stopped
		return err
	}
	for s.stopped == "" && len(s.state.Epochs) < s.spec.Epochs {
		if err := s.epoch(ctx); err != nil {
			return err
		}
	}
	return nil
}

// epoch takes the steps that are left of the current epoch, and ends it.
func (s *session) epoch(ctx context.Context) error {
	epoch, batches := len(s.state.Epochs), s.batches()
	s.trainer.SetLR(s.plan.schedule.LR(s.spec.LR, epoch, s.spec.Epochs))
	clock := time.Now()
	for batch, err := range batches.Epoch(ctx, epoch, s.state.Step) {
		if err != nil {
			return err
		}
		if s.spec.Steps > 0 && s.trainer.Steps() >= s.spec.Steps {
			s.stopped = fmt.Sprintf("after %d steps", s.spec.Steps)
			return nil
		}
		score, err := s.trainer.Step(ctx, batch.Pixels, batch.Labels)
		if err != nil {
			return err
		}
		now := time.Now()
		took := now.Sub(clock).Seconds()
		clock = now
		s.stepped(score, took)
		if err := s.between(ctx, now); err != nil {
			return err
		}
	}
	return s.endEpoch(ctx)
}

// stepped takes note of a step.
func (s *session) stepped(score models.Score, took float64) {
	s.state.Step++
	s.state.Running.Add(score)
	s.state.Seconds += took
	s.times = append(s.times, took)
	s.report("training")
}

// between does what is due between two steps.
func (s *session) between(ctx context.Context, now time.Time) error {
	if err := s.trackIfDue(ctx); err != nil {
		return err
	}
	every := s.run.Every
	if every == 0 {
		every = DefaultCheckpointEvery
	}
	if s.folder == nil || now.Sub(s.saved) < every {
		return nil
	}
	return s.checkpoint()
}

// report tells the progress.
func (s *session) report(stage string) {
	if s.run.Progress == nil {
		return
	}
	s.run.Progress(TrainProgress{
		Stage: stage, Done: s.trainer.Steps(), Total: s.totalSteps(),
		Epoch: min(len(s.state.Epochs)+1, s.spec.Epochs), Epochs: s.spec.Epochs, Score: s.state.Running,
	})
}

// totalSteps is how many the whole training takes.
func (s *session) totalSteps() int {
	n := s.spec.Epochs * s.batches().Steps()
	if s.spec.Steps > 0 {
		n = min(n, s.spec.Steps)
	}
	return n
}

// endEpoch evaluates the network, chooses the best weights and saves.
func (s *session) endEpoch(ctx context.Context) error {
	e, err := s.evaluateEpoch(ctx, true)
	if err != nil {
		return err
	}
	s.state.Epochs = append(s.state.Epochs, e)
	s.state.Step, s.state.Running, s.state.Seconds = 0, models.Score{}, 0
	if err := s.choose(e); err != nil {
		return err
	}
	if s.spec.Patience > 0 && e.Epoch-s.state.Best.Epoch >= s.spec.Patience {
		s.stopped = fmt.Sprintf("early, after %d epochs without a better validation loss", s.spec.Patience)
	}
	if s.run.Progress != nil {
		s.run.Progress(TrainProgress{Stage: "training", Done: s.trainer.Steps(), Total: s.totalSteps(), Epoch: e.Epoch, Epochs: s.spec.Epochs, Ended: &e})
	}
	if s.folder == nil {
		return nil
	}
	if err := s.folder.saveEpoch(s); err != nil {
		return err
	}
	return s.checkpoint()
}

// evaluateEpoch is the record of the current epoch; the training images are
// scored during training.
func (s *session) evaluateEpoch(ctx context.Context, evaluate bool) (EpochRecord, error) {
	epoch := len(s.state.Epochs)
	e := EpochRecord{
		Epoch: epoch + 1, LR: s.plan.schedule.LR(s.spec.LR, epoch, s.spec.Epochs),
		TrainLoss: s.state.Running.MeanLoss(), TrainAccuracy: s.state.Running.Accuracy(), Seconds: s.state.Seconds,
	}
	if !evaluate {
		return e, nil
	}
	start := time.Now()
	var err error
	if e.ValidationLoss, e.ValidationAccuracy, err = s.evaluate(ctx, "validating", s.data.validation); err != nil {
		return e, err
	}
	e.TestLoss, e.TestAccuracy, err = s.evaluate(ctx, "testing", s.data.test)
	e.Seconds += time.Since(start).Seconds()
	return e, err
}

// evaluate scores a set in evaluation mode; nil results where there is none.
func (s *session) evaluate(ctx context.Context, stage string, set data.Dataset) (loss, accuracy *float64, err error) {
	if set == nil {
		return nil, nil, nil
	}
	p := &data.Pipeline{Dataset: set, Normalisation: s.data.normalisation, Batch: min(s.batches().Batch, set.Len()), Sequential: true}
	var total models.Score
	for batch, err := range p.Epoch(ctx, 0, 0) {
		if err != nil {
			return nil, nil, err
		}
		score, err := s.trainer.Evaluate(ctx, batch.Pixels, batch.Labels)
		if err != nil {
			return nil, nil, err
		}
		total.Add(score)
		if s.run.Progress != nil {
			s.run.Progress(TrainProgress{Stage: stage, Done: total.Images, Total: set.Len(), Epoch: len(s.state.Epochs) + 1, Epochs: s.spec.Epochs, Score: total})
		}
	}
	return ptr(total.MeanLoss()), ptr(total.Accuracy()), nil
}

// choose keeps the weights if they are the best so far: by the loss of the
// validation images, or of the training images where there are none. Test images
// choose nothing.
func (s *session) choose(e EpochRecord) error {
	loss := e.TrainLoss
	if e.ValidationLoss != nil {
		loss = *e.ValidationLoss
	}
	if s.state.Best != nil && !(loss < s.state.Best.Loss) {
		return nil
	}
	s.state.Best = &BestRecord{Epoch: e.Epoch, Loss: loss}
	s.trainer.Sync()
	if s.folder == nil {
		s.best = s.net.Clone()
		return nil
	}
	return s.folder.saveWeights(bestFile, s.Training, s.net, e.Epoch)
}

// medianStep is the median time of a step of this session, the first two of
// which prepare; of a session without steps it is that of the session before.
func (s *session) medianStep() float64 {
	times := slices.Clone(s.times)
	if len(times) > 4 {
		times = times[2:]
	}
	if len(times) == 0 {
		return s.state.SecondsPerStep
	}
	slices.Sort(times)
	return times[len(times)/2]
}
