package data

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// seedStream seeds src for draw i of the named stream. Streams that differ in
// seed, name or i are independent.
func seedStream(src *rand.PCG, seed uint64, name string, i uint64) {
	key := make([]byte, 0, 64)
	key = binary.LittleEndian.AppendUint64(key, seed)
	key = binary.LittleEndian.AppendUint64(key, i)
	key = append(key, name...)
	sum := sha256.Sum256(key)
	src.Seed(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:]))
}
