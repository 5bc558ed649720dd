package totoml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/archfile"
	"github.com/ansatz-lab/ansatz/models/fromonnx"
	"github.com/ansatz-lab/ansatz/models/layers"
)

// emitted returns the layers of steps, which have the names of the state dict in full. Depth counts the containers that
// they are in, with the file itself.
func emitted(all steps, depth int) (models.Sequential, error) {
	if depth > archfile.MaxDepth && len(all) > 0 {
		return nil, fmt.Errorf("%s: it is in branches of branches, more than %d deep", fromonnx.Describe(all[0].node),
			archfile.MaxDepth)
	}
	s := models.Sequential{}
	for i, each := range all {
		if each.what == isAdd && i+1 < len(all) && all[i+1].layerOf(models.ReLU{}) {
			if r, ok, err := residual(each, depth); err != nil {
				return nil, err
			} else if ok {
				r.Linear = false
				s = append(s, models.Named{Layer: r})
				continue
			}
		}
		if _, was := layerBefore(s).(models.Residual); was && i > 0 && each.layerOf(models.ReLU{}) &&
			all[i-1].what == isAdd {
			continue // the residual's own
		}
		l, err := layerOf(each, depth)
		if err != nil {
			return nil, err
		}
		s = append(s, l)
	}
	return s, nil
}

// layerBefore returns the last layer so far, nil if there is none.
func layerBefore(s models.Sequential) models.Layer {
	if len(s) == 0 {
		return nil
	}
	return s[len(s)-1].Layer
}

// residual returns the sum of two branches of one shape; ok is false for other sums.
func residual(s step, depth int) (r models.Residual, ok bool, err error) {
	if s.what != isAdd || len(s.branches) != 2 {
		return r, false, nil
	}
	for _, b := range s.branches {
		if len(b) > 0 && b[len(b)-1].out != s.out {
			return r, false, nil
		}
	}
	main, shortcut := s.branches[0], s.branches[1]
	if len(main) == 0 {
		main, shortcut = shortcut, main
	}
	if len(main) == 0 {
		return r, false, nil
	}
	if r.Main, err = emitted(main, depth+1); err != nil {
		return r, false, err
	}
	r.Shortcut, err = emitted(shortcut, depth+1)
	r.Linear = true
	return r, true, err
}

// layerOf returns the layer of a step.
func layerOf(s step, depth int) (models.Named, error) {
	if s.what == isLayer {
		return models.Named{Name: s.name, Layer: s.layer}, nil
	}
	join, known := map[string]models.Join{isAdd: models.Add, isMul: models.Multiply, isConcat: models.Concat}[s.what]
	if !known {
		return models.Named{}, fmt.Errorf("%s: it is %s, which is neither a layer of an architecture file nor a known "+
			"part of one", fromonnx.Describe(s.node), s.what)
	}
	if r, ok, err := residual(s, depth); ok || err != nil {
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

// distinct gives layers that have the name of an earlier one a number.
func distinct(all steps, taken map[string]bool) {
	for i, s := range all {
		for _, b := range s.branches {
			distinct(b, taken)
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

// paramsOf lists the parameters of steps, with their names in full.
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

// trailing lets the linear layers that follow the last pool read features, as they are usually written, and not the
// channels of an image of one position; what a network ends with is flattened anyway. The last layer of weights gets one
// output a class.
func trailing(all steps) {
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

// called gives containers of layers the path that the names of their layers begin with, and takes it off those.
func called(s models.Sequential, parent string) {
	for i := range s {
		path := s[i].Name
		switch l := s[i].Layer.(type) {
		case models.Residual:
			path = under(parent, append(names(l.Main), names(l.Shortcut)...))
			called(l.Main, path)
			called(l.Shortcut, path)
		case models.Branches:
			var all []string
			for _, b := range l.Branches {
				all = append(all, names(b.Layer.(models.Sequential))...)
			}
			path = under(parent, all)
			for _, b := range l.Branches {
				called(b.Layer.(models.Sequential), path)
			}
		}
		if s[i].Name = path; parent != "" && path != "" {
			s[i].Name = strings.TrimPrefix(strings.TrimPrefix(path, parent), ".")
		}
	}
}

// under returns the path of modules that names have in common, which begins with that of their parent.
func under(parent string, names []string) string {
	if len(names) == 0 {
		return parent
	}
	return commonPath(names)
}

// names lists the names of the layers below.
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
