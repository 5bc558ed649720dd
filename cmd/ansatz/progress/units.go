package progress

import (
	"fmt"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/shard"
)

// Units is a line on a terminal with a bar over the units of a plan. It shows the time left, at the rate
// so far.
type Units struct {
	to    Terminal
	width func() int
	start time.Time
	begun int // units that were complete at the start
	drawn bool
}

// NewUnits returns the line of the plan in a folder.
func NewUnits(t Terminal, plan *shard.Plan, dir string) *Units {
	return &Units{to: t, width: t.width, start: time.Now(), begun: shard.StatusOf(plan, dir).Whole}
}

// Draw draws the line.
func (b *Units) Draw(s *shard.Status, now time.Time) {
	if b.to.On {
		fmt.Fprint(b.to.W, "\r\x1b[2K"+b.line(s, now, b.width()-1))
		b.drawn = true
	}
}

// line returns the line, at most width characters long.
func (b *Units) line(s *shard.Status, now time.Time, width int) string {
	text := ""
	if made := s.Whole - b.begun; made > 0 {
		left := now.Sub(b.start).Seconds() / float64(made) * float64(s.Units-s.Whole)
		text = record.FormatDuration(left) + " left"
	}
	return barLine(fmt.Sprintf("%d of %d units", s.Whole, s.Units), float64(s.Whole)/float64(s.Units), text, width)
}

// Print clears the line and calls write, which writes to the terminal.
func (b *Units) Print(write func()) {
	if b.drawn {
		fmt.Fprint(b.to.W, "\r\x1b[J")
		b.drawn = false
	}
	write()
}

// Close clears the line; nothing is drawn after it.
func (b *Units) Close() {
	b.Print(func() {})
	b.to.On = false
}
