package cost

// term is something that time or memory grows with, and how much there is of it.
// Terms of the same name have the same weight in all kinds of jobs.
type term struct {
	name   string
	amount float64
}

// terms are those of a job.
type terms []term

// with adds a term.
func (t terms) with(name string, amount float64) terms { return append(t, term{name, amount}) }

// reading adds what opening images takes: of all kinds of jobs the same.
func (t terms) reading(r Reading) terms {
	return t.with("opened", r.Opened).with("scaled", r.Scaled)
}

// room adds what open images hold, with a weight for each group of kinds: what is left
// behind beside them, until it is collected, may be as much again. What is scaled is
// more than once in memory.
func (t terms) room(kind string, r Reading) terms {
	again := 0.
	if r.Scaled > 0 {
		again = r.Opened
	}
	return t.with(kind+": opened", r.Opened).with("scaled", r.Scaled).with("opened to be scaled", again)
}

// of is what the terms of a job of a kind begin with: what any takes.
func of(kind string) terms { return terms{{kind, 1}} }

// Far is how many of so many numbers that are read again and again come from memory:
// those that are too many for a cache.
func Far(numbers float64) float64 { return max(0, numbers-near) }

// near is how many numbers stay in a cache.
const near = 4 << 20
