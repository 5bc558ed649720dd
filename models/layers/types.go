package layers

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/models"
)

// Types are the types of layers that an architecture file may name besides those of package models.
func Types() []models.LayerType {
	all := []models.LayerType{
		numbered("leakyrelu", "slope", .01, func(v float64) models.Layer { return LeakyReLU(v) }),
		numbered("elu", "alpha", 1, func(v float64) models.Layer { return ELU(v) }),
		named(numbered("layernorm", "eps", 1e-5, func(v float64) models.Layer { return LayerNorm{v} })),
		named(numbered("instancenorm", "eps", 1e-5, func(v float64) models.Layer { return GroupNorm{Eps: v} })),
		named(numbered("scale", "start", 1, func(v float64) models.Layer { return Scale{v} })),
		{Name: "groupnorm", Params: true, Decode: func(settings func(any) error) (models.Layer, error) {
			t := struct {
				head
				Groups int     `toml:"groups"`
				Eps    float64 `toml:"eps"`
			}{Eps: 1e-5}
			if err := settings(&t); err != nil {
				return nil, err
			}
			if t.Groups < 1 || !(t.Eps > 0) {
				return nil, fmt.Errorf("groups = %d, eps = %v: want at least 1, and more than 0", t.Groups, t.Eps)
			}
			return GroupNorm{t.Groups, t.Eps}, nil
		}},
		{Name: "attention", Params: true, Decode: func(settings func(any) error) (models.Layer, error) {
			var t struct {
				head
				Heads int `toml:"heads"`
			}
			if err := settings(&t); err != nil {
				return nil, err
			}
			if t.Heads < 1 {
				return nil, fmt.Errorf("heads = %d: want at least 1", t.Heads)
			}
			return Attention{t.Heads}, nil
		}},
		named(plain("classtoken", ClassToken{})), named(plain("positionembedding", PositionEmbedding{})),
	}
	for name, l := range map[string]models.Layer{
		"silu": SiLU, "gelu": GELU, "gelutanh": GELUTanh, "relu6": ReLU6, "sigmoid": Sigmoid, "hardsigmoid": HardSigmoid,
		"hardswish": HardSwish, "softplus": Softplus, "mish": Mish, "tokens": Tokens{}, "firsttoken": FirstToken{},
		"meantoken": MeanToken{},
	} {
		all = append(all, plain(name, l))
	}
	return all
}

// head has the keys of every layer.
type head struct {
	Type string `toml:"type"`
	Name string `toml:"name"`
}

// named makes a type one with parameters, which needs a name.
func named(t models.LayerType) models.LayerType {
	t.Params = true
	return t
}

// plain is a type without settings.
func plain(name string, l models.Layer) models.LayerType {
	return models.LayerType{Name: name, Decode: func(settings func(any) error) (models.Layer, error) {
		var t head
		return l, settings(&t)
	}}
}

// numbered is a type with one setting, a number of at least 0.
func numbered(name, key string, otherwise float64, layer func(float64) models.Layer) models.LayerType {
	return models.LayerType{Name: name, Decode: func(settings func(any) error) (models.Layer, error) {
		all := map[string]any{}
		if err := settings(&all); err != nil {
			return nil, err
		}
		for k := range all {
			if k != key && k != "type" && k != "name" {
				return nil, fmt.Errorf("unknown key %q: a %s layer has the key %s", k, name, key)
			}
		}
		v, given := all[key]
		if !given {
			return layer(otherwise), nil
		}
		switch x := v.(type) {
		case float64:
			otherwise := x
			if otherwise >= 0 && otherwise < 1e6 {
				return layer(otherwise), nil
			}
		case int64:
			if x >= 0 && x < 1e6 {
				return layer(float64(x)), nil
			}
		}
		return nil, fmt.Errorf("%s = %v: want a number of at least 0", key, v)
	}}
}
