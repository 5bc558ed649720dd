package zoo

import (
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/layers"
)

// visionTransformers returns the vision transformers, given by the side of a patch, layers, heads, features and hidden units.
func visionTransformers() map[string]func() *models.Architecture {
	all := map[string]func() *models.Architecture{}
	for name, p := range map[string]struct{ patch, depth, heads, width, hidden int }{
		"vit_b_16": {16, 12, 12, 768, 3072}, "vit_b_32": {32, 12, 12, 768, 3072},
		"vit_l_16": {16, 24, 16, 1024, 4096}, "vit_l_32": {32, 24, 16, 1024, 4096}, "vit_h_14": {14, 32, 16, 1280, 5120},
	} {
		all[name] = func() *models.Architecture { return visionTransformer(p.patch, p.depth, p.heads, p.width, p.hidden) }
	}
	return all
}

func visionTransformer(patch, depth, heads, width, hidden int) *models.Architecture {
	norm := layers.LayerNorm{Eps: 1e-6}
	var blocks models.Sequential
	for i := range depth {
		blocks = append(blocks, models.Named{Name: fmt.Sprintf("encoder_layer_%d", i), Layer: models.Sequential{
			{Layer: add(models.Sequential{{Name: "ln_1", Layer: norm},
				{Name: "self_attention", Layer: layers.Attention{Heads: heads}}})},
			{Layer: add(models.Sequential{{Name: "ln_2", Layer: norm},
				{Name: "mlp", Layer: models.Sequential{{Name: "0", Layer: models.Linear{Out: hidden}}, {Layer: layers.GELU},
					{Name: "3", Layer: models.Linear{Out: width}}}}})},
		}})
	}
	a := imagenet(models.Sequential{
		{Name: "conv_proj", Layer: models.Conv{Filters: width, Kernel: [2]int{patch, patch},
			Geometry: graph.Square(patch, 0)}},
		{Layer: layers.Tokens{}}, {Name: "class_token", Layer: layers.ClassToken{}},
		{Name: "encoder", Layer: models.Sequential{
			{Name: "pos_embedding", Layer: layers.PositionEmbedding{}}, {Name: "layers", Layer: blocks},
			{Name: "ln", Layer: norm},
		}},
		{Layer: layers.FirstToken{}}, {Name: "heads", Layer: models.Sequential{{Name: "head", Layer: models.Linear{}}}},
	}, narrow)
	a.Rename = func(name string) (string, bool) { // names of torchvision before 0.14
		name = strings.Replace(name, ".mlp.linear_1.", ".mlp.0.", 1)
		return strings.Replace(name, ".mlp.linear_2.", ".mlp.3.", 1), true
	}
	return a
}
