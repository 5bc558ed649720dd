package models

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"
)

// Batch is the examples of a step. Targets are those of a regression, which has no
// Labels; both Pixels and Targets go example by example.
type Batch struct {
	Pixels  []float32
	Labels  []int
	Targets []float32
}

// Batches supplies the examples of a training, epoch by epoch. Which batches an epoch
// has, and in which order, is a function of its number alone: a training that goes on
// from a checkpoint gets those that it would have got.
type Batches interface {
	// Steps returns the number of batches of an epoch.
	Steps() int
	// Epoch returns the batches of an epoch, both counted from 0, from a batch on. A
	// batch is valid until the next one is asked for; an error ends the epoch.
	Epoch(ctx context.Context, epoch, from int) iter.Seq2[Batch, error]
}

// Loop is a training: epochs of steps, what its caller does between them, and a
// checkpoint. A training that was stopped anywhere and goes on from its checkpoint
// ends with the same weights and the same State, bit for bit. [Loop.Resume] goes on
// from a checkpoint, [Loop.Run] takes the steps that are left and [Loop.Save] saves a
// checkpoint; Run saves one from time to time.
type Loop struct {
	Trainer *Trainer
	Batches Batches
	// Epochs is how many epochs there are. Steps, if it is not 0, ends the training
	// after so many steps, within an epoch if need be.
	Epochs, Steps int
	// Rate, if not nil, returns the learning rate of an epoch, counted from 0.
	Rate func(epoch int) float64

	// Begin, AfterStep and EndEpoch are called, if they are not nil, before the first
	// step of a Run, after every step, and after the last step of every epoch. What
	// they return as an error ends the Run. A checkpoint that is saved after an error
	// of EndEpoch holds the State from before that call, and the epoch ends again when
	// the training goes on.
	Begin, AfterStep, EndEpoch func(ctx context.Context) error
	// Stopped says why the training ended before its last epoch, "" if it did not. A
	// caller that sets it ends the training.
	Stopped string

	// State is what a checkpoint notes besides the trainer's state, as JSON: a pointer
	// to a struct that embeds a [Position]. Nil notes the position alone.
	State LoopState
	// Best holds the weights that the last [Loop.KeepBest] kept, nil before. They are
	// part of the checkpoint.
	Best *Network

	// Path is the file of the checkpoint, "" for none.
	Path string
	// Every is the time between two checkpoints; 0 is [DefaultCheckpointEvery], or
	// longer where one takes long to write. EachEpoch saves one after every epoch too.
	Every     time.Duration
	EachEpoch bool
	// Optional says that the training can do without its checkpoint: it begins anew
	// where that cannot be read, and saves none once there is a NaN.
	Optional bool
	// Notes are further notes of a checkpoint. Accept, if not nil, refuses to go on
	// from a checkpoint with other notes.
	Notes  map[string]string
	Accept func(notes map[string]string) error

	steps   []float64 // seconds of those that this process took
	saved   savedCheckpoint
	unended *loopNotes // what to note while EndEpoch runs
}

// Position is where a training is within an epoch.
type Position struct {
	Step           int     // steps taken of the epoch
	Running        Score   // of these steps, each before its update
	Seconds        float64 // that these steps took
	SecondsPerStep float64 // the median of the process that saved the position
}

// LoopState is the State of a [Loop]. A struct that embeds a [Position] has the method.
type LoopState interface{ position() *Position }

func (p *Position) position() *Position { return p }

// Position returns where the training is.
func (l *Loop) Position() *Position {
	if l.State == nil {
		l.State = new(Position)
	}
	return l.State.position()
}

// Epoch returns how many epochs have ended. In a call of EndEpoch the current one has not.
func (l *Loop) Epoch() int { return (l.Trainer.Steps() - l.Position().Step) / l.Batches.Steps() }

// Run takes the steps that are left.
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

// epoch takes the steps that are left of the current epoch, and ends it.
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
			l.Stopped = fmt.Sprintf("after %d steps", l.Steps)
			return nil
		}
		score, err := l.Trainer.stepOn(ctx, batch)
		if err != nil {
			return err
		}
		now := time.Now()
		l.count(score, now.Sub(clock).Seconds())
		clock = now
		if l.AfterStep != nil {
			if err := l.AfterStep(ctx); err != nil {
				return err
			}
		}
		if err := l.saveIfDue(now); err != nil {
			return err
		}
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
	if l.EachEpoch {
		return l.Save()
	}
	return l.saveIfDue(time.Now())
}

// KeepBest keeps a copy of the weights as they are now.
func (l *Loop) KeepBest() {
	l.Trainer.Sync()
	l.Best = l.Trainer.net.Clone()
}

// SecondsPerStep returns the median time of the steps that this process took, the
// first two of which prepare; without any, that of the process before.
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

// EvaluateAll returns the score of the first epoch's batches, which are labelled, in
// evaluation mode. Each, if not nil, is told the score so far after every batch.
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
