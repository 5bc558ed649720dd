package weights

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/nlpodyssey/gopickle/pickle"
)

// A machine runs pickles of parameters and notes the storages that they refer to.
type machine struct {
	storages map[string]*storage
}

func newMachine() *machine {
	return &machine{storages: make(map[string]*storage)}
}

// run runs a pickle that [scanPickle] wrote and returns the object that it makes.
// Whatever the pickle says, nothing else comes to pass.
func (m *machine) run(code []byte) (v any, err error) {
	defer func() {
		// The scanner knows the instructions but not the stack. One that finds
		// the wrong things there may panic.
		if r := recover(); r != nil {
			v, err = nil, errors.New(shorten(fmt.Sprint(r)))
		}
	}()
	u := pickle.NewUnpickler(bytes.NewReader(code))
	u.PersistentLoad = func(id any) (any, error) { return m.resolve(id), nil }
	if v, err = u.Load(); err != nil {
		return nil, errors.New(shorten(err.Error()))
	}
	return v, nil
}

// resolve returns what a BINPERSID leaves on the stack in place of id: of a
// persistent id the storage or class that it means, and of the tuples that
// rewrites puts there the class that is looked up or what the call gives.
func (m *machine) resolve(id any) any {
	items, _ := sequence(id)
	if len(items) == 0 {
		return broken("what a persistent id of no items stands for")
	}
	text, ok := items[0].(string)
	if !ok {
		return call(items[0], items[1:])
	}
	if len(items) == 2 {
		if name, ok := items[1].(string); ok {
			return findClass(text, name)
		}
	}
	return m.persistentLoad(text, items[1:])
}
