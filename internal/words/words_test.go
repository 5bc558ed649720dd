package words

import (
	"strings"
	"testing"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n          int
		noun, want string
	}{{0, "shard", "0 shards"}, {1, "shard", "1 shard"}, {3, "shard", "3 shards"}, {1, "matrix", "1 matrix"},
		{2, "matrix", "2 matrices"}, {1, "class", "1 class"}, {3, "class", "3 classes"}} {
		if got := Count(c.n, c.noun); got != c.want {
			t.Errorf("%d, %q: %q, want %q", c.n, c.noun, got, c.want)
		}
	}
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		n, all int
		want   string
	}{{0, 1, "0 of 1 layer lies"}, {1, 1, "1 of 1 layer lies"}, {1, 4, "1 of 4 layers lies"}, {0, 4, "0 of 4 layers lie"},
		{2, 4, "2 of 4 layers lie"}} {
		if got := Of(c.n, c.all, "layer", "lies", "lie"); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.n, c.all, got, c.want)
		}
	}
}

func TestSome(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"", ""}, {"a", "a"}, {"a b c", "a, b, c"}, {"a b c d", "a, b, c and 1 more"}, {"a b c d e", "a, b, c and 2 more"},
	} {
		if got := Some(strings.Fields(c.names), 3); got != c.want {
			t.Errorf("%q: %q, want %q", c.names, got, c.want)
		}
	}
}

func TestList(t *testing.T) {
	for want, all := range map[string][]int{"": nil, "3": {3}, "3 and 5": {3, 5}, "3, 5 and 9": {3, 5, 9}} {
		if got := List(all); got != want {
			t.Errorf("%v: %q, want %q", all, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	if got := Names([]string{"a, b", "c d", "e\nf", "g"}, 3); got != `"a, b", c d, "e\nf" and 1 more` {
		t.Error(got)
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 KiB", 4096: "4 KiB", 1 << 20: "1 MiB", 300 << 20: "300 MiB", 1 << 30: "1.0 GiB", 8 << 30: "8.0 GiB",
		10e9: "9.3 GiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("%d bytes: %q, want %q", n, got, want)
		}
	}
	if got := Bytes(2.14 * (1 << 30)); got != "2.1 GiB" {
		t.Errorf("a number that is not whole: %q", got)
	}
}
