package pickle

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/nlpodyssey/gopickle/pickle"
	"github.com/nlpodyssey/gopickle/types"
)

// A World gives the classes and functions of a pickle a meaning. The arguments of its methods belong to the pickle,
// which may use them again: a method must change only objects that the World created, and must not copy or walk large
// values, since a pickle can cause that a million times.
type World interface {
	// Global returns the class or function of that name in a module, or nil if it has no meaning. It then becomes a
	// [*Global], which is never passed to Call.
	Global(module, name string) any

	// Call returns the result of calling f. f may be anything that a pickle can make, except [*Global] and [*Object].
	Call(f any, args []any) any

	// Build gives an object its state, as __setstate__ does. The object may be
	// anything that a pickle can make.
	Build(object, state any)

	// Persistent returns the object for a persistent id.
	Persistent(id any) any
}

// A runner is one run of a program.
type runner struct {
	world World
	long  []any // those not used yet
}

// Run runs the program and returns the object that it builds. Whatever the pickle says, its only effects are calls of
// the world's methods. The error says briefly why the program cannot be run.
func (p *Program) Run(world World) (v any, err error) {
	defer func() {
		// The scanner checks instructions but not the stack, so an instruction that finds the wrong values there may
		// panic.
		if r := recover(); r != nil {
			v, err = nil, errors.New(Shorten(fmt.Sprint(r)))
		}
	}()
	m := &runner{world: world, long: p.long}
	u := pickle.NewUnpickler(bytes.NewReader(p.code))
	u.GetExtension = func(code int) (any, error) { return operation(code), nil }
	u.NextBuffer = m.next
	u.PersistentLoad = m.resolve
	if v, err = u.Load(); err != nil {
		return nil, errors.New(Shorten(err.Error()))
	}
	return v, nil
}

// next returns the next of the long texts and bytes, which the program stores separately from its instructions. There
// are exactly as many as instructions that need one.
func (m *runner) next() (any, error) {
	v := m.long[0]
	m.long = m.long[1:]
	return v, nil
}

// resolve returns what a BINPERSID leaves on the stack in place of id: the result of the operation that is id's last
// item. The id of a PERSID is a string.
func (m *runner) resolve(id any) (any, error) {
	tuple, ok := id.(*types.Tuple)
	if !ok {
		return m.world.Persistent(id), nil
	}
	items := *tuple
	switch items[len(items)-1] {
	case opFind:
		return m.find(items[0], items[1])
	case opBuild:
		m.world.Build(items[0], items[1])
		return items[0], nil
	case opObject:
		all, _ := Sequence(items[0])
		if len(all) == 0 {
			return nil, errors.New("an object without a class")
		}
		return m.call(all[0], all[1:]), nil
	case opInstance:
		args, _ := Sequence(items[0])
		return m.call(items[1], args), nil
	case opCall:
		args, _ := Sequence(items[1])
		return m.call(items[0], args), nil
	}
	return m.world.Persistent(items[0]), nil // opPersistent
}

// find looks up a class or function. If its name is not a short text, no World knows it.
func (m *runner) find(module, name any) (any, error) {
	in, okIn := module.(string)
	n, okName := name.(string)
	if !okIn || !okName || len(in) > maxLine || len(n) > maxLine {
		return &Global{"of a name that is none"}, nil
	}
	if f := plain(in, n); f != nil {
		return f, nil
	}
	if f := m.world.Global(in, n); f != nil {
		return f, nil
	}
	return &Global{Printable(in + "." + n)}, nil
}

// call returns the result of calling f.
func (m *runner) call(f any, args []any) any {
	switch f := f.(type) {
	case function:
		return f(args)
	case *Global:
		return &Object{f.Name}
	case *Object:
		return f
	}
	return m.world.Call(f, args)
}
