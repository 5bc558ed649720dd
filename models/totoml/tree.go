package totoml

import (
	"errors"
	"fmt"
	"slices"
)

// tree turns the list of ops into a tree that ends at the output. A join gets a branch for each operand; its branches start
// at the join's immediate dominator. If the branches of two joins overlap, there is no tree, which is an error.
func tree(ops []*op) (steps, error) {
	t := treeMaker{ops: ops, last: make([]int, len(ops)), depth: make([]int, len(ops)), used: make([]bool, len(ops))}
	for i := 1; i < len(ops); i++ {
		t.last[i] = t.common(ops[i].in)
		t.depth[i] = t.depth[t.last[i]] + 1
		if t.climbed > mostClimbed {
			return nil, errors.New("its branches are too many and too long")
		}
	}
	return t.between(0, len(ops)-1)
}

type treeMaker struct {
	ops []*op
	// last is each op's immediate dominator: the last op before it that all paths from the images to it pass. The
	// dominators are a tree, and depth is each op's depth in it.
	last, depth []int
	used        []bool
	climbed     int // the number of steps up this tree so far
}

// mostClimbed bounds the time that a hostile graph can take. A network of 1000 layers takes some thousand steps.
const mostClimbed = 1 << 28

// up returns an op's immediate dominator, and counts the step.
func (t *treeMaker) up(i int) int {
	t.climbed++
	return t.last[i]
}

// common returns the last op that all paths to all of the given ops pass.
func (t *treeMaker) common(ops []int) int {
	at := ops[0]
	for _, other := range ops[1:] {
		for at != other {
			if t.depth[at] > t.depth[other] {
				at = t.up(at)
			} else {
				other = t.up(other)
			}
		}
	}
	return at
}

// between returns the steps from the value of an op to the value of a later one, which depends on the former alone.
func (t *treeMaker) between(from, to int) (steps, error) {
	var back steps
	for to != from {
		o := t.ops[to]
		if t.climbed > mostClimbed {
			return nil, errors.New("its branches are too many and too long")
		}
		if t.used[to] {
			return nil, fmt.Errorf("%s: its result is read by branches that are not joined together: an architecture "+
				"file has only branches that begin at one layer and end at one join", o.node.Describe())
		}
		t.used[to] = true
		s := step{op: o}
		if len(o.in) > 1 {
			var err error
			if s.branches, err = t.branches(o, t.last[to], o.in); err != nil {
				return nil, err
			}
		}
		back = append(back, s)
		to = t.last[to]
	}
	slices.Reverse(back)
	return back, nil
}

// branches returns the branches from the value of an op to the values that a join reads. Exporters write nested
// concatenations as one: neighbours that begin at a later op than the others get a concatenation of their own.
func (t *treeMaker) branches(join *op, from int, in []int) (all []steps, err error) {
	for len(in) > 0 {
		n, first := 1, t.under(from, in[0])
		for join.what == isConcat && first != from && n < len(in) && t.under(from, in[n]) == first {
			n++
		}
		at := in[0]
		if n > 1 {
			at = t.common(in[:n])
		}
		branch, err := t.between(from, at)
		if err != nil {
			return nil, err
		}
		if n > 1 {
			part := *join
			part.out.f = 0
			for _, i := range in[:n] {
				part.out.f += t.ops[i].out.f
			}
			inner, err := t.branches(join, at, in[:n])
			if err != nil {
				return nil, err
			}
			branch = append(branch, step{&part, inner})
		}
		all, in = append(all, branch), in[n:]
	}
	return all, nil
}

// under returns the child of from, in the dominator tree, whose subtree contains to.
func (t *treeMaker) under(from, to int) int {
	for to != from {
		above := t.up(to)
		if above == from {
			break
		}
		to = above
	}
	return to
}
