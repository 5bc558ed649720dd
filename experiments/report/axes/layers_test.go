package axes

import (
	"slices"
	"testing"
)

func TestLayerLabels(t *testing.T) {
	for _, c := range []struct{ names, want []string }{
		{[]string{"module.layer1.0.conv1", "module.fc"}, []string{"L1.0.conv1", "fc"}},
		{[]string{"module.features.0", "module.features.3"}, []string{"feat.0", "feat.3"}},
		{[]string{"net.body.a", "net.body.b"}, []string{"a", "b"}},
		{[]string{"layer.0", "layers.0"}, []string{"layer.0", "layers.0"}}, // both would be shortened to the same label
		{[]string{"features", "layer 1"}, []string{"features", "layer 1"}},
		{[]string{"module.features.0"}, []string{"module.feat.0"}},
		{nil, nil},
	} {
		if got := LayerLabels(c.names); !slices.Equal(got, c.want) {
			t.Errorf("LayerLabels(%q) = %q, want %q", c.names, got, c.want)
		}
	}
}
