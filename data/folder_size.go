package data

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/data/imagefile"
)

// maxHeaders bounds the images that FolderSize looks at. If a later image has another size, reading it is an error.
const maxHeaders = 10000

// FolderSize returns the common height and width in pixels of the images in a folder, from the headers of the first 10 000.
// If they differ, both are 0, and differ names two images and their sizes. Sets opened with [Options].Whole have this size.
func FolderSize(path string) (height, width int, differ string, err error) {
	set, err := openFolder(path, Options{})
	if err != nil {
		return 0, 0, "", err
	}
	d := set.(*listed)
	for i := range min(d.Len(), maxHeaders) {
		w, h, err := imagefile.Size(d.file(i))
		if err != nil {
			return 0, 0, "", err
		}
		if i == 0 {
			height, width = h, w
		}
		if h != height || w != width {
			return 0, 0, fmt.Sprintf("%s has %d×%d pixels (rows × columns), %s has %d×%d", d.paths[0], height, width, d.paths[i],
				h, w), nil
		}
	}
	return height, width, "", nil
}
