package archfile

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
)

// UnknownLayerError says that an architecture has a layer that is of no [Type].
type UnknownLayerError struct {
	Name  string
	Layer models.Layer
}

// Error names the layer and its Go type.
func (e *UnknownLayerError) Error() string {
	return fmt.Sprintf("layer %q is a %T, which an architecture file cannot name", e.Name, e.Layer)
}

// Write writes an architecture as a file that [Parse] reads, for images of a size and a number of classes. Comments give the
// output shape and the number of parameters of every layer, and the architecture's notes. Write returns an
// [*UnknownLayerError] if a layer has no type in this package or among the caller's own.
func Write(w io.Writer, a *models.Architecture, in models.Shape, classes int, own ...Type) error {
	a = a.On(in)
	d, err := a.Describe(in, classes)
	if err != nil {
		return err
	}
	root, ok := a.Root.(models.Sequential)
	if !ok {
		root = models.Sequential{{Layer: a.Root}}
	}
	p := printer{d: d, types: append(Types(), own...)}
	p.line(0, "# %s on images of %v with %s: %s parameters in %s with weights", a.Name, in, words.Count(d.Outputs, "output"),
		thousands(d.Size()), words.Count(len(d.Layers), "layer"))
	if a.Init != (models.Init{}) {
		p.line(0, "# Fresh weights of this file are PyTorch's defaults (see train --init). Under its name the network starts from")
		p.line(0, "# %s.", a.Init)
	}
	p.notes(a)
	if a.Name != "" {
		p.line(0, "name = %q", a.Name)
	}
	p.line(0, "input = [%d, %d, %d]", in.Channels, in.Height, in.Width)
	if a.Normalise != "" {
		p.line(0, "normalise = %q", a.Normalise)
	}
	if err := p.layers("layer", root, ""); err != nil {
		return err
	}
	_, err = io.WriteString(w, p.text.String())
	return err
}

// thousands returns a number with commas between groups of three digits.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// printer writes layers as TOML.
type printer struct {
	text  strings.Builder
	d     *models.Description
	types []Type
}

func (p *printer) line(depth int, format string, args ...any) {
	fmt.Fprintf(&p.text, strings.Repeat("  ", depth)+format+"\n", args...)
}

// notes writes the notes of an architecture as comments of up to 120 columns.
func (p *printer) notes(a *models.Architecture) {
	for _, n := range a.Notes {
		line := "#"
		for _, word := range strings.Fields(n) {
			if len(line)+len(word) >= 120 && line != "#" {
				p.line(0, "%s", line)
				line = "#"
			}
			line += " " + word
		}
		p.line(0, "%s", line)
	}
}

// layers writes layers as tables of an array, such as layer.main. Their names in the state dict begin with parent's.
func (p *printer) layers(array string, s models.Sequential, parent string) error {
	for i := range s {
		name := join(parent, s[i].Name)
		t, settings := typeOf(s[i].Layer, p.types)
		if settings == nil {
			return &UnknownLayerError{name, s[i].Layer}
		}
		depth := strings.Count(array, ".")
		p.line(0, "")
		p.line(depth, "%-30s # %s", "[["+array+"]]", p.comment(p.d.Built(&s[i], name)))
		p.line(depth, "type = %q", t.Name)
		if s[i].Name != "" {
			p.line(depth, "name = %q", s[i].Name)
		}
		if err := p.settings(array, reflect.ValueOf(settings).Elem(), reflect.ValueOf(t.New()).Elem(), name); err != nil {
			return err
		}
	}
	return nil
}

// settings writes the keys that differ from their defaults, and then the layers that they hold.
func (p *printer) settings(array string, of, defaults reflect.Value, name string) error {
	otherwise := keysOf(defaults)
	for i, f := range keysOf(of) {
		switch text := tomlValue(f.value); {
		case text != "" && text != tomlValue(otherwise[i].value):
			p.line(strings.Count(array, "."), "%s = %s", f.Name, text)
		case text != "" && f.Default == "required":
			p.line(strings.Count(array, "."), "%s = %s", f.Name, text)
		}
	}
	for _, f := range keysOf(of) {
		inner := array + "." + f.Name
		switch v := f.value.Interface().(type) {
		case models.Sequential:
			if err := p.layers(inner, v, name); err != nil {
				return err
			}
		case []branch:
			for _, b := range v {
				depth := strings.Count(inner, ".")
				p.line(0, "")
				p.line(depth, "[[%s]]", inner)
				if b.Name != "" {
					p.line(depth, "name = %q", b.Name)
				}
				if err := p.layers(inner+".layer", b.Layer, join(name, b.Name)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// comment describes a built layer: its output shape and its number of parameters.
func (p *printer) comment(b models.Built) string {
	var text string
	switch s := b.Shape; len(s) {
	case 1:
		text = fmt.Sprintf("%d features", s[0])
	case 2:
		text = fmt.Sprintf("%d tokens of %d features", s[0], s[1])
	case 3:
		text = fmt.Sprintf("%d×%d×%d", s[2], s[0], s[1])
	}
	if n := (&models.Description{Parameters: b.Parameters}).Size(); n > 0 {
		text += ", " + thousands(n) + " parameters"
	}
	return text
}

// join returns the name of a child in the state dict.
func join(parent, child string) string {
	if parent == "" || child == "" {
		return parent + child
	}
	return parent + "." + child
}
