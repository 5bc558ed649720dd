package kernel

// portable4x4 is the micro-kernel in Go.
func portable4x4(t *Tile) {
	var s00, s01, s02, s03, s10, s11, s12, s13 float32
	var s20, s21, s22, s23, s30, s31, s32, s33 float32
	b := t.B
	for _, at := range t.Taps {
		a0, a1, a2, a3 := t.A[t.Rows[0]+at:], t.A[t.Rows[1]+at:], t.A[t.Rows[2]+at:], t.A[t.Rows[3]+at:]
		for p := 0; p < t.K*t.Step; p += t.Step {
			v := (*[4]float32)(b)
			b = b[4:]
			u := a0[p]
			s00 += u * v[0]
			s01 += u * v[1]
			s02 += u * v[2]
			s03 += u * v[3]
			u = a1[p]
			s10 += u * v[0]
			s11 += u * v[1]
			s12 += u * v[2]
			s13 += u * v[3]
			u = a2[p]
			s20 += u * v[0]
			s21 += u * v[1]
			s22 += u * v[2]
			s23 += u * v[3]
			u = a3[p]
			s30 += u * v[0]
			s31 += u * v[1]
			s32 += u * v[2]
			s33 += u * v[3]
		}
	}
	sums := [4][4]float32{{s00, s01, s02, s03}, {s10, s11, s12, s13}, {s20, s21, s22, s23}, {s30, s31, s32, s33}}
	for i, out := range t.Out[:t.M] {
		t.store(sums[i][:t.N], t.C[out:])
	}
}

// store finishes a row of sums and writes it to c.
func (t *Tile) store(sums, c []float32) {
	for j, v := range sums {
		if t.Add {
			v += c[j]
		}
		if t.Bias != nil {
			v += t.Bias[j]
		}
		if t.ReLU && v <= 0 {
			v = 0 // a NaN passes, as in PyTorch
		}
		c[j] = v
	}
}
