package models

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/ansatz-lab/ansatz/internal/words"
)

// Batch holds the examples of a step, one after another in Pixels. For classification it has Labels; for regression it has
// Targets instead, example by example.
type Batch struct {
	Pixels  []float32
	Labels  []int
	Targets []float32
}

// Batches supplies the examples of a training, epoch by epoch. The batches of an epoch, and their order, must be a
// function of its number alone, so that a resumed training gets the same batches.
type Batches interface {
	// Steps returns the number of batches of an epoch.
	Steps() int
	// Epoch returns the batches of an epoch, starting with batch number from; epochs and batches are counted from 0. A
	// batch is valid until the next one; an error ends the epoch.
	Epoch(ctx context.Context, epoch, from int) iter.Seq2[Batch, error]
}

// Loop is a training loop over epochs of steps, with callbacks between them and a checkpoint. [Loop.Run] takes the
// remaining steps and saves a checkpoint from time to time; [Loop.Save] saves one at once. [Loop.Resume] resumes from
// a checkpoint. A training that was stopped at any point and resumed ends with the same weights and the same State, bit for
// bit.
type Loop struct {
	Trainer *Trainer
	Batches Batches
	// Epochs is the number of epochs. Steps, if not 0, is the number of steps after which the training ends, even
	// within an epoch.
	Epochs, Steps int
	// Rate, if not nil, returns the learning rate of an epoch, counted from 0.
	Rate func(epoch int) float64

	// Begin, AfterStep and EndEpoch, if not nil, are called before the first step of a Run, after every step, and after
	// the last step of every epoch. If one returns an error, Run returns it. A checkpoint saved during or after a failed
	// EndEpoch holds the State from before that call, and the resumed training calls EndEpoch again.
	Begin, AfterStep, EndEpoch func(ctx context.Context) error
	// Stopped says why the training ended before its last epoch; it is "" otherwise. The caller sets it to end the
	// training.
	Stopped string

	// State is the caller's state, a pointer to a struct that embeds a [Position]. A checkpoint holds it as JSON. If
	// State is nil, a checkpoint holds just the position.
	State LoopState
	// Best holds the weights that the last call of [Loop.KeepBest] kept; nil before. A checkpoint holds them too.
	Best *Network

	// Path is the file of the checkpoint, "" for none.
	Path string
	// Every is the time between two checkpoints; 0 is [DefaultCheckpointEvery], or more if writing a checkpoint takes long.
	// With EachEpoch, Run also saves one after every epoch, or after some if writing them would take more than a twentieth of
	// the time; SavesEpoch tells EndEpoch whether one follows.
	Every      time.Duration
	EachEpoch  bool
	SavesEpoch bool
	// Optional makes the checkpoint optional: the training starts from scratch if the checkpoint cannot be read or is
	// refused, and saves none of a state that has NaNs.
	Optional bool
	// Notes are further notes for a checkpoint. Accept, if not nil, is called with the notes of the checkpoint to resume
	// from; it refuses the checkpoint by returning an error.
	Notes  map[string]string
	Accept func(notes map[string]string) error

	steps   []float64 // durations, in seconds, of the steps that this process took
	saved   savedCheckpoint
	unended *loopNotes // the notes of a checkpoint while EndEpoch runs
}

// Position is where a training is within an epoch.
type Position struct {
	Step           int     // the number of steps taken in the epoch
	Running        Score   // the score of these steps, each before its update
	Seconds        float64 // the time of these steps, with that of AfterStep and of checkpoints
	SecondsPerStep float64 // the median in the process that saved the position
}

// LoopState is the State of a [Loop]. A pointer to a struct that embeds a [Position] implements it.
type LoopState interface{ position() *Position }

func (p *Position) position() *Position { return p }

// Position returns the current position of the training.
func (l *Loop) Position() *Position {
	if l.State == nil {
		l.State = new(Position)
	}
	return l.State.position()
}

// Epoch returns the number of epochs that have ended. During EndEpoch the current epoch has not ended.
func (l *Loop) Epoch() int { return (l.Trainer.Steps() - l.Position().Step) / l.Batches.Steps() }

// Run takes the remaining steps.
func (l *Loop) Run(ctx context.Context) error {
	l.saved.at = time.Now()
	if l.Begin != nil {
		if err := l.Begin(ctx); err != nil {
			return err
		}
	}
	for l.Stopped == "" && l.Epoch() < l.Epochs {
		if err := l.epoch(ctx); err != nil {
			return err
		}
	}
	l.Trainer.Sync()
	return nil
}

// epoch takes the remaining steps of the current epoch, and ends it.
func (l *Loop) epoch(ctx context.Context) error {
	epoch := l.Epoch()
	if l.Rate != nil {
		l.Trainer.SetLR(l.Rate(epoch))
	}
	clock := time.Now()
	for batch, err := range l.Batches.Epoch(ctx, epoch, l.Position().Step) {
		if err != nil {
			return err
		}
		if l.Steps > 0 && l.Trainer.Steps() >= l.Steps {
			l.Stopped = "after " + words.Count(l.Steps, "step")
			return nil
		}
		score, err := l.Trainer.stepOn(ctx, batch)
		if err != nil {
			return err
		}
		now := time.Now()
		l.count(score, now.Sub(clock).Seconds())
		if l.AfterStep != nil {
			if err := l.AfterStep(ctx); err != nil {
				return err
			}
		}
		if err := l.saveIfDue(now); err != nil {
			return err
		}
		clock = time.Now()
		l.Position().Seconds += clock.Sub(now).Seconds()
	}
	return l.endEpoch(ctx)
}

// count adds a step to the position.
func (l *Loop) count(score Score, seconds float64) {
	p := l.Position()
	p.Step++
	p.Running.Add(score)
	p.Seconds += seconds
	l.steps = append(l.steps, seconds)
}

// endEpoch calls EndEpoch and begins the next epoch.
func (l *Loop) endEpoch(ctx context.Context) error {
	l.Trainer.Sync()
	l.SavesEpoch = l.EachEpoch && time.Since(l.saved.at) >= writingShare*l.saved.writing
	if l.EndEpoch != nil {
		if l.Path != "" {
			l.unended = l.notes()
		}
		if err := l.EndEpoch(ctx); err != nil {
			return err
		}
		l.unended = nil
	}
	p := l.Position()
	*p = Position{SecondsPerStep: p.SecondsPerStep}
	if l.SavesEpoch {
		return l.Save()
	}
	return l.saveIfDue(time.Now())
}

// KeepBest sets Best to a copy of the current weights.
func (l *Loop) KeepBest() {
	l.Trainer.Sync()
	l.Best = l.Trainer.net.Clone()
}

// SecondsPerStep returns the median time of this process's steps. It leaves out the first two, which also prepare, if there
// are more than four. If there are none, it returns the median of the process that saved the checkpoint.
func (l *Loop) SecondsPerStep() float64 {
	times := slices.Clone(l.steps)
	if len(times) > 4 {
		times = times[2:]
	}
	if len(times) == 0 {
		return l.Position().SecondsPerStep
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// stepOn takes a step on a batch.
func (t *Trainer) stepOn(ctx context.Context, b Batch) (Score, error) {
	if b.Targets == nil {
		return t.Step(ctx, b.Pixels, b.Labels)
	}
	loss, err := t.StepTowards(ctx, b.Pixels, b.Targets)
	n := len(b.Targets) / t.net.Classes
	return Score{Images: n, Loss: loss * float64(n)}, err
}

// EvaluateAll returns the score on the labelled batches of epoch 0, in evaluation mode. After every batch it calls each, if
// not nil, with the score so far.
func (t *Trainer) EvaluateAll(ctx context.Context, b Batches, each func(Score)) (Score, error) {
	var total Score
	for batch, err := range b.Epoch(ctx, 0, 0) {
		if err != nil {
			return total, err
		}
		score, err := t.Evaluate(ctx, batch.Pixels, batch.Labels)
		if err != nil {
			return total, err
		}
		total.Add(score)
		if each != nil {
			each(total)
		}
	}
	return total, nil
}
