package verify

import "testing"

func TestNormalised(t *testing.T) {
	for text, want := range map[string]string{
		"none":                          "not normalised",
		"imagenet":                      "normalised as those of ImageNet",
		"given (0.33803234/0.15100001)": "normalised with mean 0.338 and standard deviation 0.151",
		"dataset (0.1,0.25/0.3,0.4)":    "normalised with means 0.1, 0.25 and standard deviations 0.3, 0.4",
		"0.5/0.25":                      "normalised with mean 0.5 and standard deviation 0.25",
	} {
		if got := normalised(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
