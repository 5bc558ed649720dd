package data

// A byteSet is a Dataset whose pixels may be bytes over 255.
type byteSet interface {
	// bytes returns the bytes of image i, channel by channel and each row by
	// row, and its label; false if the pixels of the set are no bytes. They
	// must not be changed, and may lie in the memory of scratch. The caller
	// answers for i.
	bytes(i int, scratch []uint8) (pix []uint8, label int, ok bool)
}

// bytesOf does for any dataset what byteSet.bytes does.
func bytesOf(ds Dataset, i int, scratch []uint8) (pix []uint8, label int, ok bool) {
	if b, is := ds.(byteSet); is {
		return b.bytes(i, scratch)
	}
	return nil, 0, false
}

// A reader reads images as views, normalised. It is not safe for concurrent
// use.
type reader struct {
	set    Dataset
	shape  Shape
	norm   Normalisation
	levels levels
	pix    []uint8   // the bytes of an image that is made as it is read
	plain  []float32 // an image before it is moved
}

func newReader(ds Dataset, n Normalisation) *reader {
	s := ds.Shape()
	return &reader{
		set:    ds,
		shape:  s,
		norm:   n,
		levels: newLevels(s.Channels, n),
		pix:    make([]uint8, s.Pixels()),
		plain:  make([]float32, s.Pixels()),
	}
}

// read writes the view of image i to dst and returns its label. Sets of bytes
// take a table look-up a pixel, which is several times faster than Read.
func (r *reader) read(i int, v view, dst []float32) (int, error) {
	if pix, label, ok := bytesOf(r.set, i, r.pix); ok {
		r.levels.draw(dst, pix, r.shape, v)
		return label, nil
	}
	label, err := r.set.Read(i, r.plain)
	if err != nil {
		return 0, err
	}
	v.draw(dst, r.plain, r.shape)
	r.norm.Apply(dst)
	return label, nil
}
