// Package turbojpeg decodes JPEGs with libjpeg-turbo: three times as fast as
// image/jpeg, and to the same bytes as Pillow, which uses the same library.
//
// The program looks for the library when it runs (libturbojpeg.so.0, in Debian's
// package libturbojpeg0), so the build does not need it. Programs built without the
// tag native, without cgo, or for Windows never use it; there [Available] is false and
// [Decode] returns [ErrUnavailable].
package turbojpeg

import (
	"errors"
)

// ErrUnavailable says that the library was not found, or that this build does not look for it.
var ErrUnavailable = errors.New(
	"turbojpeg: libturbojpeg.so.0 is not there, or this program was built without -tags native")
