package fetch

import (
	"encoding/hex"
	"fmt"
	"net/url"
)

// File is a file to fetch.
type File struct {
	Path   string   // the destination, slash-separated, relative to the data folder
	URLs   []string // http or https addresses, tried in this order
	Bytes  int64    // the size; 0 if unknown
	SHA256 string   // in hexadecimal; "" if unknown
	MD5    string   // in hexadecimal; used only if SHA256 is ""
	Into   string   // the folder to unpack it into, relative to the data folder; "" leaves it packed
}

// Check says how a file was checked.
type Check string

// The checks, the best first.
const (
	BySHA256  Check = "sha256"
	ByMD5     Check = "md5"
	ByReceipt Check = "receipt"   // by the digest in an earlier receipt or, if unpacked, by the sizes in it
	Unchecked Check = "unchecked" // not at all, except by the size if that is known
)

// Result says what [Get] did with a File.
type Result struct {
	Source          // the file, and the files that were unpacked from it
	Check    Check  // how the file itself was checked
	URL      string // its address; "" if nothing was downloaded
	Unpacked bool   // whether this call unpacked it
}

// checked reports whether f has a digest to check it with.
func (f *File) checked() bool { return f.SHA256 != "" || f.MD5 != "" }

// checkList returns an error for a list with impossible or contradictory files.
func checkList(files []File) error {
	seen := map[string]bool{}
	for _, f := range files {
		if seen[f.Path] {
			return refused(f, "each path once", "it twice")
		}
		seen[f.Path] = true
		if err := checkFile(f); err != nil {
			return err
		}
	}
	return nil
}

func checkFile(f File) error {
	if why := strictName(f.Path); why != "" {
		return refused(f, "a path in the data folder", why)
	}
	if f.Into != "" && f.Into != "." {
		if why := strictName(f.Into); why != "" {
			return refused(f, "a folder in the data folder to unpack into", fmt.Sprintf("%q: %s", f.Into, why))
		}
	}
	if f.Into == f.Path {
		return refused(f, "a folder to unpack into", "the file's own path")
	}
	if f.Bytes < 0 {
		return refused(f, "a size", fmt.Sprint(f.Bytes))
	}
	if !isDigest(f.SHA256, 32) || !isDigest(f.MD5, 16) {
		return refused(f, "digests in hexadecimal", fmt.Sprintf("%q and %q", f.SHA256, f.MD5))
	}
	for _, u := range f.URLs {
		if p, err := url.Parse(u); err != nil || !isWeb(p) {
			return refused(f, "addresses that begin with http:// or https://", fmt.Sprintf("%q", u))
		}
	}
	return nil
}

// isDigest reports whether s is empty or gives n bytes in hexadecimal.
func isDigest(s string, n int) bool {
	b, err := hex.DecodeString(s)
	return s == "" || err == nil && len(b) == n
}

func isWeb(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func refused(f File, want, got string) error {
	return &Error{Path: fmt.Sprintf("%q", f.Path), Offset: noOffset, Want: want, Got: got,
		Hint: "the list of files is at fault: report it to its authors"}
}
