package data

import (
	"math"
	"testing"
)

// brightnessAccuracy returns the test accuracy of a classifier that knows only the mean brightness of an image. It
// chooses the class whose training images have the nearest mean brightness.
func brightnessAccuracy(t *testing.T, spec string, n int) float64 {
	t.Helper()
	var means []float64
	var good int
	for _, split := range []string{"train", "test"} {
		ds := mustOpen(t, spec, Options{Split: split, Count: n})
		k := len(ds.Classes())
		if means == nil {
			means = make([]float64, k)
		}
		for i := range n {
			px, label := mustRead(t, ds, i)
			bright := 0.
			for _, v := range px {
				bright += float64(v) / float64(len(px))
			}
			if split == "train" {
				means[label] += bright * float64(k) / float64(n) // the classes are balanced
				continue
			}
			best := 0
			for c, m := range means {
				if math.Abs(m-bright) < math.Abs(means[best]-bright) {
					best = c
				}
			}
			if best == label {
				good++
			}
		}
	}
	return float64(good) / float64(n)
}

// TestBrightnessIsNoLabel checks that a classifier that knows only the brightness of an image is at chance. As a
// control, it must be above chance on bars, which are white or black by class.
func TestBrightnessIsNoLabel(t *testing.T) {
	const n = 3000
	for spec, classes := range map[string]float64{
		"streetdigits": 10, "heads:attribute=hat": 2, "heads:attribute=glasses": 2, "heads:attribute=smile": 2,
	} {
		chance := 1 / classes
		limit := chance + 3.5*math.Sqrt(chance*(1-chance)/n)
		if got := brightnessAccuracy(t, spec, n); got > limit {
			t.Errorf("%s: accuracy %.3f from brightness alone, at most %.3f is chance", spec, got, limit)
		}
	}
	if got := brightnessAccuracy(t, "bars", 500); got < .7 {
		t.Errorf("bars: accuracy %.3f from brightness alone", got)
	}
}

// TestStreetDigitsPolarity checks that the digit in the middle is brighter than the background in about half of the
// images, and that its contrast is below .05 in at most 2% of them.
func TestStreetDigitsPolarity(t *testing.T) {
	const n, side = 400, streetDigitsSide
	ds := mustOpen(t, "streetdigits", Options{Count: n})
	faces, err := loadFaces()
	if err != nil {
		t.Fatal(err)
	}
	d := ds.(eightBit).source.(*streetDigits)
	brighter, faint := 0, 0
	for i := range n {
		rng := d.stream("image", i)
		ink := drawNumber(rng, faces[rng.IntN(len(faces))], d.labelAt(i))
		px, _ := mustRead(t, ds, i)
		var sum, area [2]float64 // of the background and of the ink
		for k, covered := range ink.Pix {
			if covered > 0 && covered < 0xff {
				continue
			}
			at := int(covered) / 0xff
			sum[at] += float64(px[3*k] + px[3*k+1] + px[3*k+2])
			area[at] += 3
		}
		contrast := sum[1]/area[1] - sum[0]/area[0]
		if contrast > 0 {
			brighter++
		}
		if math.Abs(contrast) < .05 {
			faint++
		}
	}
	if brighter < n*4/10 || brighter > n*6/10 || faint > n/50 {
		t.Errorf("%d of %d digits are brighter than the background, %d are faint", brighter, n, faint)
	}
}

// agreement returns the share of the images in which the attribute that is tied to the label agrees with it. It fails
// the test if the label of an image is not its attribute.
func agreement(t *testing.T, spec, split string, n int) float64 {
	t.Helper()
	d := mustOpen(t, spec, Options{Split: split, Count: n}).(eightBit).source.(*headSet)
	alike := 0
	for i := range n {
		if _, has := d.head(i); has[d.with] == (d.labelAt(i) == 1) {
			alike++
		}
		if _, has := d.head(i); has[d.attribute] != (d.labelAt(i) == 1) {
			t.Fatalf("%s: image %d is labelled wrong", spec, i)
		}
	}
	return float64(alike) / float64(n)
}

// TestHeadsAgree checks that the tied attribute agrees with the label as often as the arguments say.
func TestHeadsAgree(t *testing.T) {
	const n = 2000
	for _, c := range []struct {
		spec, split string
		want        float64
	}{
		{"heads:attribute=smile,with=glasses", "train", .9}, {"heads:attribute=smile,with=glasses", "test", .5},
		{"heads:attribute=smile,with=glasses,test=aligned,agree=.7", "test", .7},
		{"heads:attribute=hat,with=smile,agree=0", "train", 0},
	} {
		if got := agreement(t, c.spec, c.split, n); !(math.Abs(got-c.want) <= 4.5*math.Sqrt(c.want*(1-c.want)/n)) {
			t.Errorf("%s, %s: %.3f agree, want %.2f", c.spec, c.split, got, c.want)
		}
	}
}

// TestAttributeMask checks the size of a mask, and that other sets, unknown attributes and images outside the set are
// refused.
func TestAttributeMask(t *testing.T) {
	ds := mustOpen(t, "heads", Options{Count: 3, Size: 40})
	mask, err := AttributeMask(ds, 2, "glasses")
	touched := 0
	for _, in := range mask {
		if in {
			touched++
		}
	}
	if err != nil || len(mask) != 1600 || touched < 16 || touched > 480 {
		t.Errorf("%d of %d pixels, %v", touched, len(mask), err)
	}
	for _, c := range []struct {
		ds        Dataset
		i         int
		attribute string
	}{{ds, 3, "hat"}, {ds, -1, "hat"}, {ds, 0, "scarf"}, {mustOpen(t, "glyphs", Options{}), 0, "hat"}} {
		if _, err := AttributeMask(c.ds, c.i, c.attribute); err == nil {
			t.Errorf("image %d of %s, %s: no error", c.i, c.ds.Name(), c.attribute)
		}
	}
}
