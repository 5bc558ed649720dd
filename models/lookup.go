package models

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/suggest"
)

// family is a group of architectures that one function makes.
type family struct {
	names []string
	make  func(name string) *Architecture
	// set returns the architecture named BASE:SETTING; it is nil if the family has no settings.
	set func(name, setting string) (*Architecture, error)
}

var families = []family{
	{names: []string{"lenet"}, make: lenet},
	{names: []string{"alexnet"}, make: alexnet},
	{names: []string{"vgg11", "vgg13", "vgg16", "vgg19", "vgg11_bn", "vgg13_bn", "vgg16_bn", "vgg19_bn"}, make: vgg},
	{names: []string{"resnet18", "resnet34", "resnet50", "resnet101", "resnet152"}, make: resnet},
	{names: []string{"resnet18" + smallStem}, make: resnet},
	{names: []string{"resnet20", "resnet32", "resnet44", "resnet56", "resnet110"}, make: cifarResnet},
	{names: []string{"simplenet"}, make: simpleNet},
	{[]string{"cnn-vec", "cnn-max", "cnn-avg"}, ofPatch3(poolingCNN), ofPatch(poolingCNN, true)},
	{[]string{"cnn1", "cnn2", "cnn3", "cnn4", "cnn5"}, ofPatch3(vanillaCNN), ofPatch(vanillaCNN, false)},
	{[]string{"linear-cnn"}, ofPatch3(linearCNN), ofPatch(linearCNN, false)},
	{[]string{"mlp"}, mlp, mlpOf},
	{names: []string{"linear"}, make: linear},
}

// Names lists the architectures that are known by name.
func Names() []string {
	var all []string
	for _, f := range families {
		all = append(all, f.names...)
	}
	return all
}

// UnknownError says that there is no architecture of the given name.
type UnknownError struct {
	Name   string
	Others []string // names of known networks besides those of this package
}

// Error names the nearest architecture, or else lists all.
func (e *UnknownError) Error() string {
	all := append(Names(), e.Others...)
	if hint := suggest.Hint(e.Name, all); hint != "" {
		return fmt.Sprintf("unknown architecture %q%s: ansatz verify --help lists all", e.Name, hint)
	}
	return fmt.Sprintf("unknown architecture %q: there are %s; mlp:W1,W2,… for a network with those hidden widths; "+
		"cnn-max:5, cnn3:5, linear-cnn:5 and so on for another patch size than 3; and any network in an ONNX or a TOML "+
		"file (--arch my.onnx, --arch my.toml)",
		e.Name, strings.Join(all, ", "))
}

// InputError returns true: the user named an architecture that does not exist.
func (e *UnknownError) InputError() bool { return true }

// Lookup returns the architecture of a name. A setting may follow a colon: the hidden widths of mlp:512,512, the patch
// size of cnn-max:5. It returns an [*UnknownError] for other names.
func Lookup(name string) (*Architecture, error) {
	base, setting, found := strings.Cut(name, ":")
	i := slices.IndexFunc(families, func(f family) bool { return slices.Contains(f.names, base) })
	switch {
	case i < 0:
		return nil, &UnknownError{Name: name}
	case !found:
		return families[i].make(name), nil
	case families[i].set == nil:
		return nil, fmt.Errorf("architecture %q: %s has no settings: leave out %q", name, base, ":"+setting)
	}
	return families[i].set(name, setting)
}

// patchNet makes a network whose convolutions have patches of patch×patch. Its
// name is BASE or BASE:PATCH.
type patchNet func(name string, patch int) *Architecture

// ofPatch3 returns a function for names without a patch size, which is then 3.
func ofPatch3(make patchNet) func(string) *Architecture {
	return func(name string) *Architecture { return make(name, 3) }
}

// ofPatch returns a function for names that end in a patch size. The size must be odd if the convolutions keep the size of
// the images.
func ofPatch(make patchNet, odd bool) func(name, setting string) (*Architecture, error) {
	want := fmt.Sprintf("a whole number from 1 to %d", MaxSide)
	if odd {
		want = fmt.Sprintf("an odd number from 1 to %d, for which padding can keep the size of the images", MaxSide)
	}
	return func(name, setting string) (*Architecture, error) {
		patch, err := strconv.Atoi(setting)
		if err != nil || patch < 1 || patch > MaxSide || odd && patch%2 == 0 {
			return nil, fmt.Errorf("architecture %q: %q is not a patch size: want %s", name, setting, want)
		}
		return make(name, patch), nil
	}
}
