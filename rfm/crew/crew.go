// Package crew divides work among devices of one thread each: the tiles of matrices that have a row and a column for every
// point, and second moments of gradients that are sums over pairs of points. Its results are the same, bit for bit, for any
// number of devices.
package crew

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/parallel"
)

// Crew is a group of devices of one thread each, among which tasks are divided. The data of a task stays in the cache of a
// core, and no thread waits for another one within an operation.
type Crew struct {
	Devices   []*backend.Device
	Precision graph.Precision
}

// New opens a crew with the given number of threads; 0 means all cores. Close frees it.
func New(backendName string, threads int, p graph.Precision) (*Crew, error) {
	if threads < 0 {
		return nil, fmt.Errorf("crew: %d threads: want at least 1, or 0 for all cores", threads)
	}
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	c := &Crew{Precision: p}
	for range backend.Workers(backendName, threads) {
		d, err := backend.Open(backend.Options{Backend: backendName, Threads: 1})
		if err != nil {
			c.Close()
			return nil, err
		}
		c.Devices = append(c.Devices, d)
	}
	return c, nil
}

// Close closes the devices.
func (c *Crew) Close() {
	for _, d := range c.Devices {
		d.Close()
	}
}

// Share divides tasks among the devices, as [parallel.Run] does among members.
func (c *Crew) Share(ctx context.Context, tasks int, done func(finished int),
	work func(member int) (func(ctx context.Context, task int) error, error)) error {
	return parallel.Run(ctx, len(c.Devices), tasks, done, work)
}

// InTurn lets concurrent tasks add up their results in the order of the tasks. Its zero value begins with task 0.
type InTurn struct {
	mu   sync.Mutex
	next int
	held map[int]func()
}

// Do calls add in the order of the tasks: at once, or in the call of an earlier task that is late. Calls of add do not overlap.
func (o *InTurn) Do(task int, add func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.held == nil {
		o.held = map[int]func(){}
	}
	o.held[task] = add
	for o.held[o.next] != nil {
		o.held[o.next]()
		delete(o.held, o.next)
		o.next++
	}
}
