package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// batchBars are two lines on a terminal while seeds are made: a bar over all of
// them with the time left, and one of the stage of that which is made in this
// process, or the names of those that are made in others. Elsewhere than on a
// terminal a line is written for each seed.
type batchBars struct {
	app   *app
	on    bool
	width func() int
	work  *batchWork
	stop  chan struct{}

	mu      sync.Mutex
	drawn   bool
	stage   string
	since   time.Time // that the stage goes on
	at0, of int       // how far it is
}

// redrawn is how often the lines are.
const redrawn = 200 * time.Millisecond

func (a *app) batchBars(p *study.Plan, jobs, threads int) *batchBars {
	b := &batchBars{app: a, on: a.terminal() && !a.quiet, width: func() int { return terminalWidth(a.err) },
		stop: make(chan struct{})}
	b.work = newBatchWork(p.Seeds, jobs, threads, time.Now())
	if b.on {
		go b.redraw()
	}
	return b
}

// terminal says whether progress goes to a terminal.
func (a *app) terminal() bool {
	f, isFile := a.err.(*os.File)
	return isFile && term.IsTerminal(int(f.Fd()))
}

func terminalWidth(w io.Writer) int {
	if f, isFile := w.(*os.File); isFile {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

func (b *batchBars) redraw() {
	for t := time.NewTicker(redrawn); ; {
		select {
		case <-b.stop:
			t.Stop()
			return
		case now := <-t.C:
			b.draw(now)
		}
	}
}

// begin takes note that a seed is made now.
func (b *batchBars) begin(s study.PlannedSeed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.work.begin(s, time.Now())
	b.stage = ""
	if !b.on {
		b.app.say("%s, seed %d", s.Run.Experiment.ID, s.Seed)
	}
}

// end takes note that a seed is made, or is not going to be.
func (b *batchBars) end(s study.PlannedSeed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.work.end(s)
	b.stage = ""
}

// at says how far a stage is.
func (b *batchBars) at(stage string, done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if stage != b.stage {
		b.stage, b.since = stage, time.Now()
	}
	b.at0, b.of = done, total
}

// print does what writes to the terminal while the lines are away.
func (b *batchBars) print(write func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
	write()
}

// close takes the lines away for good.
func (b *batchBars) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.on {
		b.clear()
		b.on = false
		close(b.stop)
	}
}

func (b *batchBars) clear() {
	if b.drawn {
		fmt.Fprint(b.app.err, "\r\x1b[J") // from the cursor to the end of the screen
		b.drawn = false
	}
}

// draw writes the lines, and leaves the cursor where the first begins.
func (b *batchBars) draw(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.on || len(b.work.running) == 0 || now.Sub(b.work.start) < showAfter {
		return
	}
	first, second := b.lines(now, b.width()-1)
	fmt.Fprintf(b.app.err, "\r\x1b[2K%s\n\x1b[2K%s\r\x1b[1A", first, second)
	b.drawn = true
}

// lines are the two lines, of at most so many characters.
func (b *batchBars) lines(now time.Time, width int) (first, second string) {
	w := b.work
	part, left, known := w.progress(now)
	text := ""
	if known {
		text = record.FormatDuration(left.Seconds()) + " left"
	}
	first = barLine(fmt.Sprintf("%d of %d seeds", w.done, w.all), part, text, width)
	if len(w.running) > 1 || b.stage == "" || b.of <= 0 {
		return first, clipped(strings.Join(w.names(), ", "), width)
	}
	done := float64(b.at0) / float64(b.of)
	text = fmt.Sprintf("%d/%d", b.at0, b.of)
	if spent := now.Sub(b.since).Seconds(); b.at0 > 0 && spent > 1 {
		text += ", " + record.FormatDuration(spent*(1-done)/done) + " left"
	}
	return first, barLine(w.names()[0]+": "+b.stage, done, text, width)
}

// barLine is a name, a bar and a text, in so many characters.
func barLine(name string, part float64, text string, width int) string {
	const least, most = 8, 40
	room := width - len([]rune(name)) - len([]rune(text)) - len("  100 %  ")
	if room < least {
		return clipped(fmt.Sprintf("%s %3.0f %% %s", name, 100*part, text), width)
	}
	n := min(room, most)
	filled := min(n, max(0, int(part*float64(n)+.5)))
	return fmt.Sprintf("%s %s%s %3.0f %%  %s", name, strings.Repeat("█", filled), strings.Repeat("░", n-filled),
		100*part, text)
}

func clipped(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:max(0, width)])
	}
	return s
}
