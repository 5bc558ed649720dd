package report

import (
	"slices"
	"testing"
)

func TestFactsOf(t *testing.T) {
	type inner struct {
		Seed int `json:"seed" fact:"seed"`
	}
	type conventions struct {
		Kernel    string    `json:"kernel" fact:"kernel"`
		Ridge     float64   `json:"ridge" fact:"ridge λ"`
		Bandwidth float64   `json:"bandwidth,omitempty" fact:"bandwidth L"`
		Ridges    []float64 `json:"ridges" fact:"ridges λ"`
		Threads   int       `json:"threads"`
		Scale     string    `json:"scale" fact:"scale"`
		inner
		Test string `json:"test,omitempty" fact:"test images"`
	}
	c := conventions{Kernel: "laplace: exp", Ridges: []float64{0, .5}, Threads: 2, inner: inner{3}}
	want := []Fact{{"kernel", "laplace: exp"}, {"ridge λ", "0"}, {"ridges λ", "0, 0.5"}}
	if got := FactsOf(c); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	c.Bandwidth, c.Test = 10, "5 [rows]"
	want = slices.Insert(append(want, Fact{"test images", "5 [rows]"}), 2, Fact{"bandwidth L", "10"})
	if got := FactsOf(c); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
