package train

import (
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
)

// labelOne labels the images of a class, by its name or its number, 1 and the
// rest 0 (ntk, section 4.3).
func (d *Data) labelOne(class string) (err error) {
	names := d.Train.Classes()
	c := input.FindClass(names, class)
	if c < 0 {
		return fmt.Errorf("%s:%s: want a class of %s, by number from 0 or by name: %s", OneClass, class, d.Train.Name(), strings.Join(names, ", "))
	}
	var of int
	if d.Train, of, err = oneAgainstRest(d.Train, c); err != nil {
		return err
	}
	if n := d.Train.Len(); of == 0 || of == n {
		return fmt.Errorf("%s:%s: %d of %d training images are of that class: want some, and some that are not", OneClass, class, of, n)
	}
	if d.Test == nil {
		return nil
	}
	if c = input.FindClass(d.Test.Classes(), names[c]); c < 0 {
		return fmt.Errorf("%s:%s: the test images have no such class", OneClass, class)
	}
	d.Test, _, err = oneAgainstRest(d.Test, c)
	return err
}

// oneAgainstRest is a set under the labels 1 for a class and 0 for the rest, and
// how many images are of the class.
func oneAgainstRest(set data.Dataset, class int) (out data.Dataset, of int, err error) {
	labels, err := data.Labels(set)
	if err != nil {
		return nil, 0, err
	}
	for i, l := range labels {
		labels[i] = 0
		if l == class {
			labels[i] = 1
			of++
		}
	}
	name := set.Classes()[class]
	out, err = data.Relabel(set, labels, []string{"not " + name, name})
	return out, of, err
}
