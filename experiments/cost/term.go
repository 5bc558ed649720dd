package cost

// term is something that time or memory grows with, and its amount. Terms of the same name have the
// same weight in all kinds of jobs.
type term struct {
	name   string
	amount float64
}

// terms are the terms of a job.
type terms []term

// with adds a term.
func (t terms) with(name string, amount float64) terms { return append(t, term{name, amount}) }

// reading adds the terms of opening images, which are the same for all kinds of jobs.
func (t terms) reading(r Reading) terms {
	return t.with("opened", r.Opened).with("scaled", r.Scaled)
}

// room adds the memory of open images, with a weight for each group of kinds: garbage beside them
// may be as large again. Scaled images are in memory more than once.
func (t terms) room(kind string, r Reading) terms {
	again := 0.
	if r.Scaled > 0 {
		again = r.Opened
	}
	return t.with(kind+": opened", r.Opened).with("scaled", r.Scaled).with("opened to be scaled", again)
}

// newTerms returns the first term of a kind of jobs: what each of them takes, however small it is.
func newTerms(kind string) terms { return terms{{kind, 1}} }

// Far returns how many of the numbers that are read again and again come from memory, because they
// do not fit into a cache.
func Far(numbers float64) float64 { return max(0, numbers-near) }

// near is how many numbers stay in a cache.
const near = 4 << 20
