package report

import "testing"

// Keep writes a screenshot to the folder of the gallery, if one is given.
func Keep(t *testing.T, name string, data []byte) {
	if *galleryDir != "" {
		keep(t, *galleryDir+"/screenshots/"+name, data)
	}
}
