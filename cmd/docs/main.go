// Command docs writes the documentation as a small site of plain files, which needs no network:
//
//	go run ./cmd/docs -out site
//
// Its pages are README.md, docs/, results/ and the pages on the project itself. docs checks every link and anchor in them:
// if one leads nowhere, it names it with file and line, and writes nothing. The same files give the same bytes.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

func main() {
	root := flag.String("root", ".", "folder of the repository")
	out := flag.String("out", "site", "folder to write the site to; an earlier site there is replaced")
	flag.Parse()
	n, err := run(*root, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
	fmt.Printf("%s: %d pages\n", filepath.Join(*out, "index.html"), n)
}

// run writes the site of the repository in a folder and returns the number of its pages.
func run(root, out string) (int, error) {
	if err := replaceable(out); err != nil {
		return 0, err
	}
	s, err := readSite(os.DirFS(root))
	if err != nil {
		return 0, err
	}
	files, err := s.files()
	if err != nil {
		return 0, err
	}
	err = atomicfile.WriteFolder(out, func(dir string) error {
		for name, data := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(path, data, 0o666); err != nil {
				return err
			}
		}
		return nil
	})
	return len(s.pages), err
}

// mark is in every page of a site, which [replaceable] knows by it.
const mark = `<meta name="generator" content="ansatz docs">`

// replaceable returns an error if a folder has files and is not a site.
func replaceable(out string) error {
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	index, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil || !bytes.Contains(index, []byte(mark)) {
		return fmt.Errorf("the folder %s holds something other than a site: give another one by -out", out)
	}
	return nil
}
