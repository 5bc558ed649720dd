package catalogue_test

import (
	"encoding/hex"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/catalogue"
)

// unsized lists the sets for whose files no public record states the size.
var unsized = []string{"qmnist", "uci121"}

// undigested lists the sets for whose files no public record states a digest.
var undigested = []string{"uci121"}

// withoutHTTPS lists the publishers' hosts that answer only HTTP.
var withoutHTTPS = []string{"fashion-mnist.s3-website.eu-central-1.amazonaws.com", "ufldl.stanford.edu"}

// eachFile calls check with every file of the catalogue.
func eachFile(check func(e catalogue.Entry, f catalogue.File)) {
	for _, e := range catalogue.All() {
		for _, f := range e.Files {
			check(e, f)
		}
	}
}

func TestDigests(t *testing.T) {
	seen := map[string]string{}
	eachFile(func(e catalogue.Entry, f catalogue.File) {
		for digest, bytes := range map[string]int{f.SHA256: 32, f.MD5: 16} {
			if digest == "" {
				continue
			}
			if b, err := hex.DecodeString(digest); err != nil || len(b) != bytes || digest != strings.ToLower(digest) {
				t.Errorf("%s: %q is not %d bytes in lower-case hexadecimal", f.Path, digest, bytes)
			}
			if other, twice := seen[digest]; twice {
				t.Errorf("%s has the digest of %s", f.Path, other)
			}
			seen[digest] = f.Path
		}
		if has := f.SHA256 != "" || f.MD5 != ""; has == slices.Contains(undigested, e.Name) {
			t.Errorf("%s: has a digest: %v", f.Path, has)
		}
		if has := f.Bytes > 0; has == slices.Contains(unsized, e.Name) || f.Bytes < 0 {
			t.Errorf("%s: %d bytes", f.Path, f.Bytes)
		}
	})
}

func TestPathsStayInTheDataFolder(t *testing.T) {
	seen := map[string]bool{}
	eachFile(func(e catalogue.Entry, f catalogue.File) {
		for _, p := range []string{f.Path, f.Into} {
			if p != "" && (path.Clean(p) != p || path.IsAbs(p) || strings.HasPrefix(p, "..") ||
				strings.Contains(p, `\`)) {
				t.Errorf("%s: %q is no clean path in the data folder", e.Name, p)
			}
		}
		if seen[f.Path] {
			t.Errorf("%s is the path of two files", f.Path)
		}
		seen[f.Path] = true

		// Files that are used as they are lie in the folder of their set, archives in a folder for downloads.
		want := e.Name + "/"
		if strings.HasPrefix(f.Path, "downloads/") {
			want = "downloads/" + e.Name + "/"
			if f.Into == "" {
				t.Errorf("%s is not unpacked", f.Path)
			}
		}
		if path.Dir(f.Path)+"/" != want {
			t.Errorf("%s is not in the folder %s", f.Path, want)
		}
	})
}

func TestAddresses(t *testing.T) {
	eachFile(func(e catalogue.Entry, f catalogue.File) {
		if len(f.URLs) == 0 {
			t.Errorf("%s has no address", f.Path)
		}
		for i, address := range f.URLs {
			u, err := url.Parse(address)
			if err != nil || u.Host == "" {
				t.Errorf("%s: address %q: %v", f.Path, address, err)
				continue
			}
			if name := path.Base(u.Path); name != path.Base(f.Path) {
				t.Errorf("%s: address of a file %q", f.Path, name)
			}
			secure := "https" + strings.TrimPrefix(address, "http")
			afterSecure := slices.Contains(f.URLs[:i], secure)
			if u.Scheme != "https" && (u.Scheme != "http" || !afterSecure && !slices.Contains(withoutHTTPS, u.Host)) {
				t.Errorf("%s: %s and not first %s", f.Path, address, secure)
			}
		}
	})
}
