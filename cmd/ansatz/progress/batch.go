package progress

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Batch is two lines on a terminal while seeds are made. The first is a bar over all seeds, with the time left. The
// second is a bar over the stage of the seed that this process makes, or the names of the seeds that other processes
// make. Away from a terminal, there is a line for each seed.
type Batch struct {
	to    Terminal
	width func() int
	work  *batchWork
	stop  chan struct{}

	mu          sync.Mutex
	drawn       bool
	stage       string
	since       time.Time // when the stage began
	done, total int       // steps of the stage
}

// redrawEvery is the time between two drawings of the lines.
const redrawEvery = 200 * time.Millisecond

// NewBatch returns the lines of a plan of which jobs seeds are made at once, on threads threads in all.
func NewBatch(t Terminal, p *study.Plan, jobs, threads int) *Batch {
	b := &Batch{to: t, width: t.width, stop: make(chan struct{})}
	b.work = newBatchWork(p.Seeds, jobs, threads, time.Now())
	if b.to.On {
		go b.redraw()
	}
	return b
}

// redraw draws the lines again and again until Close.
func (b *Batch) redraw() {
	for t := time.NewTicker(redrawEvery); ; {
		select {
		case <-b.stop:
			t.Stop()
			return
		case now := <-t.C:
			b.draw(now)
		}
	}
}

// Begin records that a seed is being made.
func (b *Batch) Begin(s study.PlannedSeed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.work.begin(s, time.Now())
	b.stage = ""
	if !b.to.On {
		b.to.Logf("%s, seed %d", s.Run.Experiment.ID, s.Seed)
	}
}

// End records that a seed was made, or failed.
func (b *Batch) End(s study.PlannedSeed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.work.end(s)
	b.stage = ""
}

// Update records that done of total steps of a stage are done.
func (b *Batch) Update(stage string, done, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if stage != b.stage {
		b.stage, b.since = stage, time.Now()
	}
	b.done, b.total = done, total
}

// Print clears the lines and calls write, which writes to the terminal.
func (b *Batch) Print(write func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
	write()
}

// Close clears the lines; nothing is drawn after it.
func (b *Batch) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.to.On {
		b.clear()
		b.to.On = false
		close(b.stop)
	}
}

func (b *Batch) clear() {
	if b.drawn {
		fmt.Fprint(b.to.W, "\r\x1b[J") // from the cursor to the end of the screen
		b.drawn = false
	}
}

// draw draws the lines and leaves the cursor at the beginning of the first.
func (b *Batch) draw(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.to.On || len(b.work.running) == 0 || now.Sub(b.work.start) < showAfter {
		return
	}
	first, second := b.lines(now, b.width()-1)
	fmt.Fprintf(b.to.W, "\r\x1b[2K%s\n\x1b[2K%s\r\x1b[1A", first, second)
	b.drawn = true
}

// lines returns the two lines, at most width characters long.
func (b *Batch) lines(now time.Time, width int) (first, second string) {
	w := b.work
	part, left, known := w.progress(now)
	text := ""
	if known {
		text = record.FormatDuration(left.Seconds()) + " left"
	}
	first = barLine(fmt.Sprintf("%d of %d seeds", w.done, w.all), part, text, width)
	if len(w.running) > 1 || b.stage == "" || b.total <= 0 {
		return first, clipped(strings.Join(w.names(), ", "), width)
	}
	done := float64(b.done) / float64(b.total)
	text = fmt.Sprintf("%d/%d", b.done, b.total)
	if spent := now.Sub(b.since).Seconds(); b.done > 0 && spent > 1 {
		text += ", " + record.FormatDuration(spent*(1-done)/done) + " left"
	}
	return first, barLine(w.names()[0]+": "+b.stage, done, text, width)
}

// barLine returns a name, a bar and a text, at most width characters long.
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

// clipped returns a text cut to width characters.
func clipped(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:max(0, width)])
	}
	return s
}
