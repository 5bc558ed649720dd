package progress

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Terminal is where progress is shown.
type Terminal struct {
	W    io.Writer
	On   bool                             // W is a terminal, and bars are wanted
	Logf func(format string, args ...any) // writes a line where there is no terminal
}

// IsTerminal says whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, isFile := w.(*os.File)
	return isFile && term.IsTerminal(int(f.Fd()))
}

// width returns the columns of the terminal, 80 if they are not known.
func (t Terminal) width() int {
	if f, isFile := t.W.(*os.File); isFile {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}
