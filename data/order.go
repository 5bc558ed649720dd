package data

import (
	"fmt"
	"math/rand/v2"
)

// mixedBlocks is the number of blocks shuffled together, and so the number of places
// in the set from which a batch has images.
const mixedBlocks = 16

// An order maps a position in an epoch to an image. It is not safe for concurrent use.
type order interface{ image(position int) int }

// inOrder is the order of the set.
type inOrder struct{}

func (inOrder) image(position int) int { return position }

// wholeOrder is a permutation of the images.
type wholeOrder []int

func (o wholeOrder) image(position int) int { return o[position] }

// A blockOrder takes blocks of consecutive images in random order, and shuffles the
// images of a group of mixedBlocks blocks together. It keeps an integer for each image
// of a group, and for each block.
type blockOrder struct {
	*blocks
	at     int   // the current group, -1 for none
	images []int // the images of the current group
	pcg    *rand.PCG
}

// blocks is the part of an epoch's blockOrder that all workers share.
type blocks struct {
	n, size int   // the number of images, and of images per block
	order   []int // the blocks in random order
	short   int   // the index in order of the set's last block, which may have fewer images
	seed    uint64
	stream  string
}

func newBlocks(n, size int, seed uint64, epoch int) *blocks {
	size = min(size, n)
	b := &blocks{n: n, size: size, seed: seed, stream: fmt.Sprintf("pipeline/blocks/epoch %d", epoch)}
	pcg := rand.NewPCG(0, 0)
	seedStream(pcg, seed, "pipeline/order of blocks", uint64(epoch))
	b.order = rand.New(pcg).Perm(1 + (n-1)/size)
	for place, block := range b.order {
		if block == len(b.order)-1 {
			b.short = place
		}
	}
	return b
}

// start returns the position of the first image of a group.
func (b *blocks) start(group int) int {
	at := group * mixedBlocks * b.size
	if group > b.short/mixedBlocks {
		at -= len(b.order)*b.size - b.n // the images that the short block lacks
	}
	return at
}

// group returns the group that contains a position.
func (b *blocks) group(position int) int {
	g := position / (mixedBlocks * b.size)
	if position >= b.start(g+1) {
		g++
	}
	return g
}

func (b *blocks) newOrder() *blockOrder {
	return &blockOrder{blocks: b, at: -1, pcg: rand.NewPCG(0, 0)}
}

func (o *blockOrder) image(position int) int {
	g := o.group(position)
	if g != o.at {
		o.shuffle(g)
	}
	return o.images[position-o.start(g)]
}

// shuffle makes g the current group.
func (o *blockOrder) shuffle(g int) {
	o.at, o.images = g, o.images[:0]
	for _, block := range o.order[g*mixedBlocks : min((g+1)*mixedBlocks, len(o.order))] {
		for i := block * o.size; i < min((block+1)*o.size, o.n); i++ {
			o.images = append(o.images, i)
		}
	}
	seedStream(o.pcg, o.seed, o.stream, uint64(g))
	rand.New(o.pcg).Shuffle(len(o.images), func(a, b int) { o.images[a], o.images[b] = o.images[b], o.images[a] })
}
