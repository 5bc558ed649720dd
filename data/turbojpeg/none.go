//go:build !native || !cgo || windows

package turbojpeg

// Available returns false: this build does not look for the library.
func Available() bool { return false }

// Version returns "".
func Version() string { return "" }

// Decode returns [ErrUnavailable].
func Decode([]byte, func(width, height int) ([]uint8, error)) error { return ErrUnavailable }
