package array

import (
	"bytes"
	"io"
	"math"
	"testing"
)

// endless is a reader of n bytes, each greater by one than the byte before, modulo 256.
type endless struct{ at, n int }

func (e *endless) Read(p []byte) (int, error) {
	k := min(len(p), e.n-e.at, 1000)
	if k == 0 {
		return 0, io.EOF
	}
	for i := range p[:k] {
		p[i] = byte(e.at + i)
	}
	e.at += k
	return k, nil
}

func TestReadGrowing(t *testing.T) {
	for _, n := range []int{0, 1, firstRead, firstRead + 1, 8*firstRead - 1, 8 * firstRead, 8*firstRead + 1,
		20*firstRead + 7} {
		got, err := readGrowing(&endless{n: n + 5}, int64(n))
		want, _ := io.ReadAll(&endless{n: n})
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %d, %v", n, len(got), err)
		}
		if n == 0 {
			continue
		}
		got, err = readGrowing(&endless{n: n - 1}, int64(n))
		if err != io.ErrUnexpectedEOF || !bytes.Equal(got, want[:n-1]) {
			t.Errorf("%d bytes of %d: got %d, %v", n-1, n, len(got), err)
		}
	}
}

// TestReadGrowingMemory checks that the allocated memory depends on the bytes that the reader gives, not on the length
// that was promised: at most firstRead bytes and ten times what was given.
func TestReadGrowingMemory(t *testing.T) {
	for _, given := range []int{0, firstRead, 3 * firstRead} {
		got := allocated(func() { readGrowing(&endless{n: given}, 1<<40) })
		// The last two steps allocate at most nine times the given bytes, the steps before them a seventh.
		if most := uint64(firstRead + given*(growth+2)); got > most+1<<16 {
			t.Errorf("%d bytes took %d, more than %d", given, got, most)
		}
	}
}

func TestPayload(t *testing.T) {
	for _, test := range []struct {
		shape []int
		limit int64
		want  int64
		ok    bool
	}{
		{nil, 8, 8, true},
		{nil, 7, 0, false},
		{[]int{2, 3}, 48, 48, true},
		{[]int{2, 3}, 47, 0, false},
		{[]int{math.MaxInt, math.MaxInt}, math.MaxInt64, 0, false},
		{[]int{math.MaxInt, math.MaxInt, 0}, 0, 0, true},
		{[]int{1}, -1, 0, false},
	} {
		if n, ok := payload(Float64, test.shape, test.limit); n != test.want || ok != test.ok {
			t.Errorf("%+v: %d, %v", test, n, ok)
		}
	}
}
