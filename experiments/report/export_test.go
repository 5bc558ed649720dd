package report

import "testing"

// Keep writes a file of the gallery, if there is to be one.
func Keep(t *testing.T, name string, data []byte) {
	if *galleryDir != "" {
		keep(t, *galleryDir+"/screenshots/"+name, data)
	}
}
