package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows a bar with the time left for each stage of some work. It shows nothing unless stderr is a
// terminal, and no stages shorter than showAfter.
type progress struct {
	w     io.Writer
	on    bool
	stage string
	about string // a remark beside the stage
	start time.Time
	bar   *progressbar.ProgressBar
}

const showAfter = 500 * time.Millisecond

func (a *app) progress() *progress {
	return &progress{w: a.err, on: a.terminal() && !a.quiet}
}

// update shows that done of total steps of a stage are done.
func (p *progress) update(stage string, done, total int) {
	if !p.on {
		return
	}
	if stage != p.stage {
		p.end()
		p.stage, p.start = stage, time.Now()
	}
	if p.bar == nil {
		if time.Since(p.start) < showAfter || done == total {
			return
		}
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(p.description()),
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

// note sets the remark that the bar shows beside the stage.
func (p *progress) note(text string) { p.about = text }

func (p *progress) description() string {
	if p.about == "" {
		return fmt.Sprintf("%-12s", p.stage)
	}
	return p.stage + " " + p.about
}

// end removes the bar.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
	p.stage = ""
}
