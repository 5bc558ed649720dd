package experiments

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/weights"
)

// course is the training of a network, epoch after epoch, as far as it is kept.
type course struct {
	in     Setting
	of     *trainedNetwork
	on     *lesson
	path   string // "" keeps nothing
	began  time.Time
	saved  time.Time     // when the last checkpoint was there, or the course began
	saving time.Duration // that it took
}

// courseNote is what a checkpoint of a course says besides weights.
type courseNote struct {
	Epoch                   int // that was the best so far
	TrainMSE, ValidationMSE []float64
}

const (
	courseKey  = "course"
	courseBest = "best/" // before the names of the best weights
)

// key tells lessons of a seed apart, by what is learned.
func (l *lesson) key() string {
	return fmt.Sprintf("%d×%d to %d, %s", l.n, l.d, l.c, contentKey(l.x, l.y))
}

// course goes on with a training that was interrupted, if there is one. What is damaged
// is not taken: it is trained anew.
func (in Setting) course(t *trainedNetwork, l *lesson, name string, s NetworkSpec) (*course, error) {
	now := time.Now()
	c := &course{in: in, of: t, on: l, began: now, saved: now}
	if in.Kept == "" {
		return c, nil
	}
	var err error
	if c.path, err = in.keptAt(name+", "+l.key(), s); err != nil {
		return nil, err
	}
	d, notes, err := models.OpenCheckpoint(c.path)
	var n courseNote
	if err != nil || json.Unmarshal([]byte(notes[courseKey]), &n) != nil || !n.whole() {
		return c, nil
	}
	in.attempt.take(c.path)
	return c, c.restore(d, n)
}

// whole says whether errors and the best epoch are of one course.
func (n courseNote) whole() bool {
	return len(n.TrainMSE) == len(n.ValidationMSE) && n.Epoch >= 1 && n.Epoch <= len(n.TrainMSE)
}

// restore takes up the state of the trainer, the best weights and the errors.
func (c *course) restore(d *weights.StateDict, n courseNote) error {
	state, best := new(weights.StateDict), c.on.net.Clone()
	for name, v := range d.All() {
		of, isBest := strings.CutPrefix(name, courseBest)
		switch to := best.Value(of); {
		case !isBest:
			state.Set(name, v)
		case to == nil || to.Size() != v.Size():
			return fmt.Errorf("%s: %s is not of this network: delete it to begin again", c.path, name)
		default:
			copy(to.Float32s(), v.Float32s())
		}
	}
	if err := c.on.trainer.Restore(state); err != nil {
		return &models.CheckpointError{Path: c.path, Err: err}
	}
	c.of.net, c.of.epoch, c.of.trainMSE, c.of.validationMSE = best, n.Epoch, n.TrainMSE, n.ValidationMSE
	return nil
}

// after keeps the course after an epoch, if that is due, or after the last.
func (c *course) after(last bool) error {
	now := time.Now()
	due := c.in.keepAll || now.Sub(c.saved) >= checkpointInterval(c.saving) || last && now.Sub(c.began) >= c.in.worth()
	if c.path == "" || !due {
		return nil
	}
	state := c.on.trainer.State()
	for name, v := range c.of.net.StateDict().All() {
		state.Set(courseBest+name, v)
	}
	note, err := json.Marshal(courseNote{c.of.epoch, c.of.trainMSE, c.of.validationMSE})
	if err != nil {
		return nil // it diverged: there is nothing to go on from
	}
	err = keepCheckpoint(c.path, state, map[string]string{courseKey: string(note)})
	c.saved = time.Now()
	c.saving = c.saved.Sub(now)
	return err
}
