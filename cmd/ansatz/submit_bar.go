package main

import (
	"fmt"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/shard"
)

// unitBar is a line on a terminal over the units of a plan, with the time that is left
// at the rate at which they were made so far.
type unitBar struct {
	app   *app
	on    bool
	width func() int
	start time.Time
	begun int // units that were whole then
	drawn bool
}

func (a *app) unitBar(plan *shard.Plan) *unitBar {
	return &unitBar{
		app: a, on: a.terminal() && !a.quiet, width: func() int { return terminalWidth(a.err) },
		start: time.Now(), begun: shard.StatusOf(plan, a.out).Whole,
	}
}

// draw writes the line.
func (b *unitBar) draw(s *shard.Status, now time.Time) {
	if b.on {
		fmt.Fprint(b.app.err, "\r\x1b[2K"+b.line(s, now, b.width()-1))
		b.drawn = true
	}
}

// line is of so many characters.
func (b *unitBar) line(s *shard.Status, now time.Time, width int) string {
	text := ""
	if made := s.Whole - b.begun; made > 0 {
		left := now.Sub(b.start).Seconds() / float64(made) * float64(s.Units-s.Whole)
		text = record.FormatDuration(left) + " left"
	}
	return barLine(fmt.Sprintf("%d of %d units", s.Whole, s.Units), float64(s.Whole)/float64(s.Units), text, width)
}

// print does what writes to the terminal while the line is away.
func (b *unitBar) print(write func()) {
	if b.drawn {
		fmt.Fprint(b.app.err, "\r\x1b[J")
		b.drawn = false
	}
	write()
}

// close takes the line away for good.
func (b *unitBar) close() {
	b.print(func() {})
	b.on = false
}
