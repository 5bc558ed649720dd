package totoml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/archfile"
	"github.com/ansatz-lab/ansatz/models/layers"
)

// emitted returns the layers of steps, with their full names in the state dict. Depth counts the containers around them,
// with the file itself.
func emitted(all steps, depth int) (models.Sequential, error) {
	if depth > archfile.MaxDepth && len(all) > 0 {
		return nil, fmt.Errorf("%s: it is in branches of branches, more than %d deep", all[0].node.Describe(),
			archfile.MaxDepth)
	}
	s := models.Sequential{}
	for _, each := range all {
		l, err := layerOf(each, depth)
		if err != nil {
			return nil, err
		}
		s = append(s, l)
	}
	return s, nil
}

// isResidual reports whether a step is a sum of two branches of one shape, of which one may be the input.
func (s step) isResidual() bool {
	if !s.is(isAdd) || len(s.branches) != 2 || len(s.branches[0])+len(s.branches[1]) == 0 {
		return false
	}
	return !slices.ContainsFunc(s.branches, func(b steps) bool { return len(b) > 0 && b[len(b)-1].out != s.out })
}

// residual returns the layer of a sum for which isResidual holds. Its main branch is the first one that has layers.
func residual(s step, depth int) (r models.Residual, err error) {
	main, shortcut := s.branches[0], s.branches[1]
	if len(main) == 0 {
		main, shortcut = shortcut, main
	}
	if r.Main, err = emitted(main, depth+1); err != nil {
		return r, err
	}
	r.Shortcut, err = emitted(shortcut, depth+1)
	r.Linear = !s.relu
	return r, err
}

// layerOf returns the layer of a step.
func layerOf(s step, depth int) (models.Named, error) {
	if s.what == isLayer {
		return models.Named{Name: s.name, Layer: s.layer}, nil
	}
	join, known := map[string]models.Join{isAdd: models.Add, isMul: models.Multiply, isConcat: models.Concat}[s.what]
	if !known {
		return models.Named{}, fmt.Errorf("%s: it is %s, which is neither a layer of an architecture file nor a known "+
			"part of one", s.node.Describe(), s.what)
	}
	if s.isResidual() {
		r, err := residual(s, depth)
		return models.Named{Layer: r}, err
	}
	b := models.Branches{Join: join}
	for _, branch := range s.branches {
		inner, err := emitted(branch, depth+1)
		if err != nil {
			return models.Named{}, err
		}
		b.Branches = append(b.Branches, models.Named{Layer: inner})
	}
	return models.Named{Layer: b}, nil
}

// numberDuplicates appends a number to names of layers that an earlier layer has.
func numberDuplicates(all steps, taken map[string]bool) {
	for i, s := range all {
		for _, b := range s.branches {
			numberDuplicates(b, taken)
		}
		if len(s.params) == 0 {
			continue
		}
		name := s.name
		for k := 2; taken[name]; k++ {
			name = fmt.Sprintf("%s_%d", s.name, k)
		}
		taken[name] = true
		all[i] = s.with(func(o *op) { o.name = name })
	}
}

// paramsOf lists the parameters of steps, with their full names.
func paramsOf(all steps) (params []param) {
	for _, s := range all {
		for _, b := range s.branches {
			params = append(params, paramsOf(b)...)
		}
		for _, p := range s.params {
			p.name = strings.TrimSuffix(s.name+"."+p.name, ".")
			params = append(params, p)
		}
	}
	return params
}

// rewriteEnd lets the linear layers after the last pool read features, as they are usually written, and not the channels
// of an image of one position; a network's output is flattened anyway. The last layer with weights gets one output for
// each class.
func rewriteEnd(all steps) {
	for i := len(all) - 1; i >= 0; i-- {
		s := all[i]
		single := s.out.kind != image || s.out.positions() == 1
		if s.what != isLayer || !single {
			break
		}
		switch l := s.layer.(type) {
		case models.Linear:
			if l.PerPosition {
				l.PerPosition = false
				all[i] = s.with(func(o *op) { o.layer = l })
			}
		case layers.Activation, layers.LayerNorm, models.BatchNorm, models.Dropout, models.ReLU, models.Tanh,
			layers.Softmax:
		default:
			i = 0
		}
	}
	outputs := 0
	if len(all) > 0 {
		outputs = all[len(all)-1].out.f * all[len(all)-1].out.positions()
	}
	for i := len(all) - 1; i >= 0 && all[i].what == isLayer; i-- {
		s := all[i]
		if len(s.params) > 0 && s.out.f != outputs {
			return // its units are not the outputs
		}
		switch l := s.layer.(type) {
		case models.Linear:
			l.Out = 0
			all[i] = s.with(func(o *op) { o.layer = l })
			return
		case models.Conv:
			if l.Geometry.Groups <= 1 && !l.Depthwise {
				l.Filters, l.Classes = 0, true
				all[i] = s.with(func(o *op) { o.layer = l })
			}
			return
		}
		if len(s.params) > 0 {
			return
		}
	}
}

// nameContainers gives containers the path that the names of all their layers begin with, and cuts it off these names.
func nameContainers(s models.Sequential, parent string) {
	for i := range s {
		path := s[i].Name
		switch l := s[i].Layer.(type) {
		case models.Residual:
			path = containerPath(parent, append(names(l.Main), names(l.Shortcut)...))
			nameContainers(l.Main, path)
			nameContainers(l.Shortcut, path)
		case models.Branches:
			var all []string
			for _, b := range l.Branches {
				all = append(all, names(b.Layer.(models.Sequential))...)
			}
			path = containerPath(parent, all)
			for _, b := range l.Branches {
				nameContainers(b.Layer.(models.Sequential), path)
			}
		}
		if s[i].Name = path; parent != "" && path != "" {
			s[i].Name = strings.TrimPrefix(strings.TrimPrefix(path, parent), ".")
		}
	}
}

// containerPath returns the path of modules that the names of a container's layers have in common, or without any names
// the path of its parent.
func containerPath(parent string, names []string) string {
	if len(names) == 0 {
		return parent
	}
	return commonPath(names)
}

// names lists the names of layers, also of those within containers.
func names(s models.Sequential) (all []string) {
	for i := range s {
		switch l := s[i].Layer.(type) {
		case models.Residual:
			all = append(all, names(append(slices.Clone(l.Main), l.Shortcut...))...)
		case models.Branches:
			for _, b := range l.Branches {
				all = append(all, names(b.Layer.(models.Sequential))...)
			}
		default:
			if s[i].Name != "" {
				all = append(all, s[i].Name)
			}
		}
	}
	return all
}

// commonPath returns the path of modules that names have in common, without the last part of any of them.
func commonPath(names []string) string {
	var path []string
	for i, name := range names {
		parts := strings.Split(name, ".")
		parts = parts[:len(parts)-1]
		if i == 0 {
			path = parts
			continue
		}
		n := 0
		for n < min(len(parts), len(path)) && parts[n] == path[n] {
			n++
		}
		path = path[:n]
	}
	return strings.Join(path, ".")
}
