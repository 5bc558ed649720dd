package weights

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkRead reads 64 MiB of float32 elements from memory in each container. From the zip archive it also reads a
// transposed tensor, and two tensors that share a storage.
func BenchmarkRead(b *testing.B) {
	const n = 16 << 20
	zeros := strings.Repeat("\x00", 4*n)
	storage := persistent("FloatStorage", "0", n)
	whole := rebuilt(storage, 0, []int64{n / 1024, 1024}, []int64{1024, 1})
	transposed := rebuilt(storage, 0, []int64{1024, n / 1024}, []int64{1, 1024})
	half := rebuilt(storage, 0, []int64{n / 2}, []int64{1})
	record := rec{name: "net/data/0", content: zeros}
	for name, data := range map[string][]byte{
		"zip":        archived(b, dict(text("w"), whole), record),
		"transposed": archived(b, dict(text("w"), transposed), record),
		"shared":     archived(b, dict(text("v"), half, text("w"), half), record),
		"old":        old(dict(text("w"), whole), oldStorage{"0", n, zeros}),
		"safetensors": safetensorsFile(fmt.Sprintf(`{"w":{"dtype":"F32","shape":[%d],"data_offsets":[0,%d]}}`, n, 4*n),
			zeros),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := read(bytes.NewReader(data), int64(len(data))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
