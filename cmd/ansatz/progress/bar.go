// Package progress shows on a terminal how far some work is, and the time left: [Bar] for the stages of one piece of work,
// [Batch] for the seeds of experiments, [Units] for the units of a plan.
package progress

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Bar shows a bar with the time left for each stage of some work. It shows nothing unless stderr is a
// terminal, and no stages shorter than showAfter.
type Bar struct {
	to    Terminal
	stage string
	about string // a remark beside the stage
	start time.Time
	bar   *progressbar.ProgressBar
}

const showAfter = 500 * time.Millisecond

// NewBar returns a bar that shows nothing yet.
func NewBar(t Terminal) *Bar { return &Bar{to: t} }

// Shown says whether the bar is drawn.
func (p *Bar) Shown() bool { return p.to.On }

// Update shows that done of total steps of a stage are done.
func (p *Bar) Update(stage string, done, total int) {
	if !p.to.On {
		return
	}
	if stage != p.stage {
		p.End()
		p.stage, p.start = stage, time.Now()
	}
	if p.bar == nil {
		if time.Since(p.start) < showAfter || done == total {
			return
		}
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(p.to.W), progressbar.OptionSetDescription(p.description()),
			progressbar.OptionSetPredictTime(true), progressbar.OptionShowCount(),
			progressbar.OptionSetElapsedTime(true),
			progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetRenderBlankState(true),
		)
	}
	p.bar.Describe(p.description())
	_ = p.bar.Set(done)
}

// Note sets the remark that the bar shows beside the stage.
func (p *Bar) Note(text string) { p.about = text }

func (p *Bar) description() string {
	if p.about == "" {
		return fmt.Sprintf("%-12s", p.stage)
	}
	return p.stage + " " + p.about
}

// End removes the bar.
func (p *Bar) End() {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
	p.stage = ""
}
