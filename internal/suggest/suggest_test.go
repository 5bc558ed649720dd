package suggest

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"filters", "kernel", "stride", "pad", "mobilenet_v2", "momentum", "null-draws"}
	for word, want := range map[string]string{
		"kernal": "kernel", "Filters": "filters", "fliters": "filters", "padd": "pad", "dap": "", "": "", "zzzz": "",
		"mobilenetv2": "mobilenet_v2", "tsride": "stride", "apd": "pad", "x": "", "PAD": "pad",
		"nulls": "null-draws", "Null": "null-draws", "mob": "mobilenet_v2", "mo": "", "draws": "",
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	if h := Hint("kernal", names); h != " (did you mean kernel?)" {
		t.Error(h)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"épée", "epee", 2}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
