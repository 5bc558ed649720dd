package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"time"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
)

// Run holds the options of [Training.Run]. The zero value keeps everything in memory.
type Run struct {
	// Out is the folder for checkpoints, weights and records.
	Out string
	// Command is the command of the run, without the folder, for the page; "" if there is none.
	Command string
	// Resume continues the run in Out, if there is one.
	Resume bool
	// Every is the time between two checkpoints within an epoch; 0 is
	// [DefaultCheckpointEvery].
	Every time.Duration
	// TestLast scores the test images after the last epoch only. Earlier epochs have no test score, nor has a training
	// that stops early.
	TestLast bool
	// TrainLast also scores the training images after the last epoch: see [EpochRecord.FinalTrainAccuracy].
	TrainLast bool
	// Progress, if not nil, is called with the progress of the run.
	Progress func(Progress)
	// AtStep, if not nil, is called before the first step and after every step in AtSteps, with the number of steps
	// taken; the network then has its current weights. An error ends the run. A resumed run may call it again for the
	// step from which it continues. Notes is a pointer to AtStep's results so far, which checkpoints store as JSON.
	AtStep  func(ctx context.Context, step int) error
	AtSteps []int
	Notes   any
	// RunLoop, if not nil, replaces [models.Loop.Run] in a run without Out. It may give the loop a checkpoint of its
	// own.
	RunLoop func(context.Context, *models.Loop) error
}

// DefaultCheckpointEvery is the default time between two checkpoints, and so the most work that is lost if the process
// is killed.
const DefaultCheckpointEvery = models.DefaultCheckpointEvery

// Progress is the progress of a training: Done of Total steps have been taken. Score is the mean loss and accuracy of
// the current epoch so far; epochs are counted from 1.
type Progress struct {
	Stage         string // training, validating, testing, measuring, or scoring the training images
	Done, Total   int
	Epoch, Epochs int
	Score         models.Score
	// Ended is the epoch that has just ended, nil between.
	Ended *EpochRecord
}

// Check returns an error if Run could not continue from the checkpoint in the folder. Call it before anything is
// computed; it changes nothing.
func (t *Training) Check(r Run) error {
	f, err := openFolder(r)
	if err != nil || f == nil {
		return err
	}
	_, notes, err := models.OpenCheckpoint(f.checkpoint())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = t.checkSettings(notes, f.checkpoint())
	}
	if err != nil {
		return &input.Error{Err: err}
	}
	return nil
}

// Run trains the network. An interrupted run saves a checkpoint and returns a [*checkpoint.InterruptedError]. If
// another process trains in the folder, the error is an [*input.Error].
func (t *Training) Run(ctx context.Context, r Run) (_ *Record, err error) {
	release, err := input.LockFolder(r.Out, input.LockFile)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	s, err := t.newSession(r)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := s.resume(); err != nil {
		return nil, err
	}
	if err := s.run.RunLoop(ctx, &s.loop); err != nil {
		return nil, s.explainError(ctx, err)
	}
	record, err := s.finish(ctx)
	if err != nil {
		return nil, s.explainError(ctx, err)
	}
	return record, nil
}

// session is one run of a training.
type session struct {
	*Training
	run     Run
	device  *backend.Device
	trainer *models.Trainer
	folder  *runFolder // nil if the run has none
	loop    models.Loop
	state   trainState
	tracker *tracking // nil unless the ansatz is tracked
	written int       // the epoch after which the last weights were written; 0 if this process has written none
}

// newSession prepares a run.
func (t *Training) newSession(r Run) (*session, error) {
	s := &session{Training: t, run: r}
	var err error
	if s.folder, err = openFolder(r); err != nil {
		return nil, err
	}
	if s.run.RunLoop == nil {
		s.run.RunLoop = func(ctx context.Context, l *models.Loop) error { return l.Run(ctx) }
	}
	device := backend.Options{Backend: t.spec.Backend, Threads: t.spec.Threads, BF16: t.spec.Precision == BF16}
	if s.device, err = backend.Open(device); err != nil {
		return nil, err
	}
	o := t.Plan.Options
	o.Batch, o.Memory = t.batches().Batch, record.AvailableMemory()
	var memory *graph.MemoryError
	if s.trainer, err = models.NewTrainer(t.net, s.device, o); errors.As(err, &memory) {
		err = input.Errorf("%w: take a smaller --batch than %d", err, o.Batch)
	}
	if last := t.data.Train.Len() % o.Batch; err == nil && last > 0 && t.Steps() >= t.batches().Steps() {
		if err = s.trainer.Prepare(last); err != nil {
			err = fmt.Errorf("%w in the last batch of an epoch, of %s: take another --batch than %d, or another --train",
				err, words.Count(last, "image"), o.Batch)
		}
	}
	if err == nil && t.spec.Track > 0 {
		s.tracker, err = t.newTracking()
	}
	if err == nil {
		err = s.prepareLoop()
	}
	if err != nil {
		s.close()
		return nil, &input.Error{Err: err}
	}
	return s, nil
}

// prepareLoop sets the loop's steps, its callbacks and its checkpoint.
func (s *session) prepareLoop() error {
	spec, err := json.Marshal(s.spec)
	if err != nil {
		return err
	}
	s.state.Notes = s.run.Notes
	s.loop = models.Loop{
		Trainer: s.trainer, Batches: ImageBatches{s.batches()}, Epochs: s.spec.Epochs, Steps: s.spec.Steps,
		Rate:  func(epoch int) float64 { return s.Plan.schedule.LR(s.spec.LR, epoch, s.spec.Epochs) },
		Begin: s.checkState, AfterStep: s.afterStep, EndEpoch: s.endEpoch,
		State: &s.state, Every: s.run.Every, Notes: map[string]string{specNote: string(spec)},
	}
	if s.folder != nil {
		in, err := s.runInputs()
		if err != nil {
			return err
		}
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		s.loop.Notes[inputsNote] = string(text)
		s.loop.Path, s.loop.EachEpoch = s.folder.checkpoint(), true
		s.loop.Accept = func(notes map[string]string) error { return s.checkSettings(notes, s.loop.Path) }
	}
	return nil
}

func (s *session) close() {
	if s.tracker != nil {
		s.tracker.Close()
	}
	s.device.Close()
}

// resume continues the run in the folder, or begins one there.
func (s *session) resume() error {
	if s.folder == nil {
		return nil
	}
	resumed, err := s.loop.Resume()
	if err != nil {
		return &input.Error{Err: err}
	}
	if !resumed {
		return s.folder.create(s.Training)
	}
	if taken := s.trainer.Steps(); taken > s.Steps() {
		return input.Errorf("the run in %s has taken %s already, and --epochs and --steps allow %d: leave them as they were, or end "+
			"the run where it is with --steps %d", s.folder.dir, words.Count(taken, "step"), s.Steps(), taken)
	}
	if err := s.checkBest(); err != nil {
		return err
	}
	// The record is written again when the training has ended.
	return errors.Join(record.Retract(s.folder.dir), s.folder.restoreInitial(s.Training))
}

// checkState checks the restored state before the first step.
func (s *session) checkState(ctx context.Context) error {
	if err := s.state.check(s.expectedState()); err != nil {
		return &input.Error{Err: &models.CheckpointError{Path: s.loop.Path, Err: err}}
	}
	s.addMaker()
	s.stopEarly() // the interrupted run may have reached its last epoch
	return s.measureIfDue(ctx)
}

// measureIfDue measures the ansatz and calls AtStep if they are due after this step.
func (s *session) measureIfDue(ctx context.Context) error {
	if err := s.trackIfDue(ctx); err != nil || s.run.AtStep == nil {
		return err
	}
	step := s.trainer.Steps()
	if step > 0 && !slices.Contains(s.run.AtSteps, step) {
		return nil
	}
	s.trainer.Sync()
	return s.run.AtStep(ctx, step)
}

// addMaker records that this program continues the run.
func (s *session) addMaker() {
	if s.trainer.Steps() > 0 && len(s.state.Makers) == 0 {
		s.state.Makers = []job.Maker{{Version: "an earlier version"}}
	}
	s.state.Makers = job.AddMaker(s.state.Makers, s.trainer.Steps())
}

// afterStep reports the progress and makes the measurements that are due.
func (s *session) afterStep(ctx context.Context) error {
	s.reportProgress("training")
	return s.measureIfDue(ctx)
}

// stopEarly ends the training before its last epoch if the validation loss has not improved for the number of epochs that
// the patience allows.
func (s *session) stopEarly() {
	best, ended := s.state.Best, len(s.state.Epochs)
	if s.spec.Patience > 0 && best != nil && ended-best.Epoch >= s.spec.Patience && ended < s.spec.Epochs {
		s.loop.Stopped = fmt.Sprintf("early, after %s without a better validation loss", words.Count(s.spec.Patience, "epoch"))
	}
}

// reportProgress calls Progress, if there is one.
func (s *session) reportProgress(stage string) {
	if s.run.Progress == nil {
		return
	}
	s.run.Progress(Progress{
		Stage: stage, Done: s.trainer.Steps(), Total: s.Steps(),
		Epoch: min(len(s.state.Epochs)+1, s.spec.Epochs), Epochs: s.spec.Epochs, Score: s.state.Running,
	})
}

// Steps returns the number of steps of the whole training.
func (t *Training) Steps() int {
	n := t.spec.Epochs * t.batches().Steps()
	if t.spec.Steps > 0 {
		n = min(n, t.spec.Steps)
	}
	return n
}

// ImageBatches adapts a pipeline of images to [models.Batches].
type ImageBatches struct{ *data.Pipeline }

// Epoch implements [models.Batches].
func (p ImageBatches) Epoch(ctx context.Context, epoch, from int) iter.Seq2[models.Batch, error] {
	return func(yield func(models.Batch, error) bool) {
		for b, err := range p.Pipeline.Epoch(ctx, epoch, from) {
			if !yield(models.Batch{Pixels: b.Pixels, Labels: b.Labels}, err) {
				return
			}
		}
	}
}
