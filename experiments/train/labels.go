package train

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/patches"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/models"
)

// labelling is a way to label the images of a training.
type labelling struct {
	kind              string // true, random, one, some, pc or split
	class             string // for one and some: the class or classes against the rest
	component, patch  int    // for pc
	uncentred, signed bool   // for pc, see [patches.Score]
	parts             int    // of a class, for split
	shuffled          bool   // for some and split: random labels among the new classes
}

// The words of labels other than true and random.
const (
	OneClass          = "one"
	splitClasses      = "split"
	componentLabels   = "pc"
	someClasses       = "some"
	defaultLabelPatch = 3
)

// mostParts is the largest number of parts of a class.
const mostParts = 1000

// parseLabelling reads true, random, one:C, some:A,B,…[:random], pc:K[:PATCH][:uncentred][:signed], split:K or
// split:K:random.
func parseLabelling(text string) (l labelling, err error) {
	kind, rest, _ := strings.Cut(text, ":")
	l = labelling{kind: kind, patch: defaultLabelPatch}
	switch {
	case (kind == "true" || kind == "random") && rest == "":
		return l, nil
	case kind == OneClass && rest != "":
		l.class = rest
		return l, nil
	case kind == someClasses && rest != "":
		l.class, l.shuffled = strings.CutSuffix(rest, ":random")
		return l, nil
	case kind == splitClasses:
		parts, rest, _ := strings.Cut(rest, ":")
		l.parts, err = strconv.Atoi(parts)
		l.shuffled = rest == "random"
		if err == nil && l.parts >= 2 && l.parts <= mostParts && (rest == "" || l.shuffled) {
			return l, nil
		}
	case kind == componentLabels:
		if err = l.parseComponent(strings.Split(rest, ":")); err == nil && l.component >= 1 && l.patch >= 1 {
			return l, nil
		}
	}
	return l, input.Errorf("--labels %q: want true, random, one:C for the class C against the rest, "+
		"some:A,B,…[:random] for several against the rest, split:K[:random] "+
		"for every class divided at random into K (2 to %d), or pc:K[:PATCH][:uncentred][:signed] for labels by the "+
		"K-th principal component of the patches of PATCH×PATCH (default: %d)", text, mostParts, defaultLabelPatch)
}

// parseComponent parses K[:PATCH][:uncentred][:signed], in this order.
func (l *labelling) parseComponent(parts []string) (err error) {
	if l.component, err = strconv.Atoi(parts[0]); err != nil {
		return err
	}
	parts = parts[1:]
	for _, flag := range []struct {
		name string
		set  *bool
	}{{"signed", &l.signed}, {"uncentred", &l.uncentred}} { // from the end
		if last := len(parts) - 1; last >= 0 && parts[last] == flag.name {
			*flag.set, parts = true, parts[:last]
		}
	}
	if len(parts) > 0 {
		l.patch, err = strconv.Atoi(strings.Join(parts, ":"))
	}
	return err
}

func (l labelling) String() string {
	switch l.kind {
	case "random":
		return "random, uniform over the classes"
	case OneClass:
		return fmt.Sprintf("1 for class %s, 0 for the rest, of one output", l.class)
	case someClasses:
		if l.shuffled {
			return "random, uniform over two classes"
		}
		return fmt.Sprintf("1 for the classes %s, 0 for the rest", l.class)
	case splitClasses:
		if l.shuffled {
			return fmt.Sprintf("random, uniform over %d parts of every class", l.parts)
		}
		return fmt.Sprintf("one of %d parts of the true class, drawn at random", l.parts)
	case componentLabels:
		by, centre := "its magnitude", ", less the mean patch"
		if l.signed {
			by = "its value"
		}
		if l.uncentred {
			centre = ""
		}
		return fmt.Sprintf("by the mean projection of an image's %d×%d patches%s on their principal component %d, "+
			"classes of equal size by %s, the largest first (energy, Fig. "+
			"7)", l.patch, l.patch, centre, l.component, by)
	}
	return "the true ones"
}

// relabel replaces the true labels if the spec asks for others.
func (d *Data) relabel(ctx context.Context, l labelling, seed uint64) (err error) {
	switch l.kind {
	case "random":
		if d.Train, err = data.RandomLabels(d.Train, seed); err == nil && d.Test != nil {
			d.Test, err = data.RandomLabels(d.Test, seed+1)
		}
	case OneClass:
		err = d.labelOne(l.class)
	case componentLabels:
		err = d.labelByComponent(ctx, l)
	case splitClasses:
		err = d.labelSplit(l, seed)
	case someClasses:
		err = d.labelSome(l, seed)
	}
	if err != nil && ctx.Err() == nil {
		return &input.Error{Err: fmt.Errorf("--labels: %w", err)}
	}
	return err
}

// labelOne labels the images of one class, given by name or number, 1 and all others 0 (ntk, section 4.3).
func (d *Data) labelOne(class string) (err error) {
	names := d.Train.Classes()
	c := input.FindClass(names, class)
	if c < 0 {
		return fmt.Errorf("%s:%s: want a class of %s, by number from 0 or by name: %s", OneClass, class,
			d.Train.Name(), strings.Join(names, ", "))
	}
	var of int
	if d.Train, of, err = oneAgainstRest(d.Train, c); err != nil {
		return err
	}
	if n := d.Train.Len(); of == 0 || of == n {
		return fmt.Errorf("%s:%s: %d of %d training images are of that class: want some of it and some of others",
			OneClass, class, of, n)
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

// oneAgainstRest returns a set with the labels 1 for one class and 0 for the rest, and the number of
// images of that class.
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

// labelSome labels the images of some classes, given by name or number, 1 and all others 0; or all images at random.
func (d *Data) labelSome(l labelling, seed uint64) (err error) {
	if d.Train, err = someAgainstRest(d.Train, l, seed); err != nil || d.Test == nil {
		return err
	}
	d.Test, err = someAgainstRest(d.Test, l, seed+1)
	return err
}

// someAgainstRest returns a set with the labels 1 for some classes and 0 for the rest or, if l.shuffled, random ones.
func someAgainstRest(set data.Dataset, l labelling, seed uint64) (data.Dataset, error) {
	labels, err := data.Labels(set)
	if err != nil {
		return nil, err
	}
	some := make([]bool, len(set.Classes()))
	for _, class := range strings.Split(l.class, ",") {
		c := input.FindClass(set.Classes(), class)
		if c < 0 {
			return nil, fmt.Errorf("%s:%s: %s has no class %q, but %s", someClasses, l.class, set.Name(), class,
				strings.Join(set.Classes(), ", "))
		}
		some[c] = true
	}
	for i, label := range labels {
		labels[i] = 0
		if some[label] {
			labels[i] = 1
		}
	}
	set, err = data.Relabel(set, labels, []string{"the rest", l.class})
	if err != nil || !l.shuffled {
		return set, err
	}
	return data.RandomLabels(set, seed)
}

// labelByComponent labels all images by their projection on a principal component, which is fitted to the training images.
func (d *Data) labelByComponent(ctx context.Context, l labelling) error {
	c, err := patches.FindComponents(ctx, d.Train, l.patch, 0)
	if err != nil {
		return err
	}
	score := patches.Score{Components: c, Component: l.component, Uncentred: l.uncentred, Signed: l.signed}
	fitted, err := patches.FitLabels(ctx, d.Train, score, len(d.Train.Classes()))
	if err != nil {
		return err
	}
	if d.Train, err = fitted.Apply(ctx, d.Train); err != nil || d.Test == nil {
		return err
	}
	d.Test, err = fitted.Apply(ctx, d.Test)
	return err
}

// labelSplit divides every class at random into parts, which become classes. Ten classes split into a hundred stand in
// for a dataset of a hundred classes: there are as few images of each, and most of a label must be memorised.
func (d *Data) labelSplit(l labelling, seed uint64) (err error) {
	if d.Train, err = splitLabels(d.Train, l, seed); err != nil || d.Test == nil {
		return err
	}
	d.Test, err = splitLabels(d.Test, l, seed+1)
	return err
}

// splitLabels replaces every label by a random part of its class or, if l.shuffled, of any class.
func splitLabels(set data.Dataset, l labelling, seed uint64) (data.Dataset, error) {
	labels, err := data.Labels(set)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, class := range set.Classes() {
		for part := range l.parts {
			names = append(names, fmt.Sprintf("%s, part %d", class, part+1))
		}
	}
	rng := models.Stream(seed, "parts of classes")
	for i, label := range labels {
		if labels[i] = label*l.parts + rng.IntN(l.parts); l.shuffled {
			labels[i] = rng.IntN(len(names))
		}
	}
	return data.Relabel(set, labels, names)
}
