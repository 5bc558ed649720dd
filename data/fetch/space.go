package fetch

import (
	"fmt"
	"os"
)

// checkSpace returns an error if the missing files, as far as their sizes are known, do not fit on the disk.
func (g *getter) checkSpace(files []File) error {
	var need int64
	for _, f := range files {
		if f.Bytes == 0 || g.covered(f) != nil || sizeOf(g.path(f.Path)) == f.Bytes {
			continue
		}
		need += max(0, f.Bytes-sizeOf(g.path(f.Path)+".part"))
		if need < 0 {
			need = 1 << 62
		}
	}
	return g.fits(g.dir, need, "the files to fetch")
}

// fits returns an error if the folder's disk has fewer than need bytes free. What says for what, in the error.
func (g *getter) fits(folder string, need int64, what string) error {
	free, known := g.free(folder)
	if !known || need <= free {
		return nil
	}
	return &Error{Path: folder, Offset: noOffset, then: stop,
		Want: fmt.Sprintf("%d bytes of free space for %s", need, what), Got: fmt.Sprint(free),
		Hint: "free some space, or choose another data folder"}
}

// sizeOf returns the size of a file, 0 if there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}
