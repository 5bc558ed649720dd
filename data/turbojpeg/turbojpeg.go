// Package turbojpeg decodes JPEGs with libjpeg-turbo, three times as fast as
// image/jpeg and to the same bytes as Pillow, which decodes with it too.
//
// The library is looked for when the program runs (libturbojpeg.so.0, of
// Debian's package libturbojpeg0): nothing of it is needed to build. Programs
// built without the tag native, or without cgo, never have it, nor those on
// Windows; there [Available] is false and [Decode] fails.
package turbojpeg

import (
	"errors"
)

// ErrUnavailable says that the library was not found, or is not looked for.
var ErrUnavailable = errors.New(
	"turbojpeg: libturbojpeg.so.0 is not there, or this program was built without -tags native")
