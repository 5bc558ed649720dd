package experiments

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
)

// TrainRun says how a training is run. The zero value keeps everything in
// memory.
type TrainRun struct {
	// Out is the folder for checkpoints, weights and records.
	Out string
	// Resume goes on with the run in Out, if there is one.
	Resume bool
	// Keep, of a run without Out, is a file for a checkpoint and nothing else, from
	// which it goes on if it is there.
	Keep string
	// Every is the time between two checkpoints within an epoch; 0 is
	// [DefaultCheckpointEvery].
	Every time.Duration
	// TestLast scores the test images after the last epoch alone: the epochs
	// before, and a training that stops early, have no test score.
	TestLast bool
	// Progress, if not nil, is told how far the run is.
	Progress func(TrainProgress)

	worth   time.Duration // a training that took less is not kept
	resumed func()        // if not nil, is told that the run goes on from Keep
	follow  trainFollower // nil for none
}

// trainFollower measures the network after every epoch of a run. What it returns as an
// error ends the run.
type trainFollower interface {
	// after is called when an epoch, from 1 on, has ended.
	after(ctx context.Context, epoch int) error
	// goesOn is called where a run goes on after some epochs: from their end, or from a
	// step of the next.
	goesOn(ctx context.Context, epochs int, within bool) error
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

// Check says, before anything is computed, whether Run can write to the folder
// and go on from what is there. It changes nothing.
func (t *Training) Check(r TrainRun) error {
	_, err := openTrainFolder(r, t.spec)
	return err
}

// Run trains. A run that is interrupted saves a checkpoint and returns an
// [*InterruptedError]; while another process trains in the folder an [*InputError].
func (t *Training) Run(ctx context.Context, r TrainRun) (_ *TrainRecord, err error) {
	release, err := hold(r.Out, holdFile)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	s, err := t.session(r)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := s.restore(); err != nil {
		return nil, s.explain(ctx, err)
	}
	if r.follow != nil {
		if err := r.follow.goesOn(ctx, len(s.state.Epochs), s.state.Step > 0); err != nil {
			return nil, s.explain(ctx, err)
		}
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
	case errors.Is(err, syscall.ENOSPC) && s.checkpointPath() != "":
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
	tracker *cnfa.Tracker // nil unless the ansatz is tracked
	times   []float64     // seconds of the steps of this session
	began   time.Time
	saved   time.Time     // when the last checkpoint was there, or the session began
	saving  time.Duration // that it took
	stopped string        // why the training ended, "" while it goes on
}

func (t *Training) session(r TrainRun) (*session, error) {
	now := time.Now()
	s := &session{Training: t, run: r, began: now, saved: now}
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
	s.losePatience() // where the run goes on it may be lost already
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
	return s.checkpointIfDue(now)
}

// losePatience ends the training where the validation loss has not improved for as
// many epochs as it may.
func (s *session) losePatience() {
	if best := s.state.Best; s.spec.Patience > 0 && best != nil && len(s.state.Epochs)-best.Epoch >= s.spec.Patience {
		s.stopped = fmt.Sprintf("early, after %d epochs without a better validation loss", s.spec.Patience)
	}
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
