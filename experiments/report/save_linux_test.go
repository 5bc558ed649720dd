package report

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// unprivileged runs f as a user to whom the permissions of files apply: as nobody, if the tests run as root.
func unprivileged(t *testing.T, f func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		var err error
		defer func() { done <- err }()
		if os.Geteuid() == 0 {
			// Only this thread changes its user. It is never unlocked, so it ends with the goroutine.
			runtime.LockOSThread()
			const nobody = 65534
			if err = syscall.Setfsuid(nobody); err != nil {
				return
			}
		}
		f()
	}()
	if err := <-done; err != nil {
		t.Skipf("cannot drop privileges: %v", err)
	}
}

// Save returns a permission error for a read-only folder, and changes nothing in it.
func TestSaveReadOnly(t *testing.T) {
	dir := t.TempDir()
	if _, err := smallPage().Save(dir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "report.html")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("report.html: %v, %v", info, err)
	}
	before := filesIn(t, dir)
	for _, d := range []string{filepath.Join(dir, "figures"), filepath.Join(dir, "tables"), dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(d, 0o755)
	}
	page := smallPage()
	page.Title = "Another report"
	var path string
	var err error
	unprivileged(t, func() { path, err = page.Save(dir) })
	if !errors.Is(err, fs.ErrPermission) || path != "" || !strings.Contains(err.Error(), dir) {
		t.Errorf("path %q, error %v; want one of permission that names the folder", path, err)
	}
	if after := filesIn(t, dir); strings.Join(after, " ") != strings.Join(before, " ") {
		t.Errorf("files %q, before %q", after, before)
	}
	if strings.Contains(read(t, dir, "report.html"), page.Title) {
		t.Error("report.html changed")
	}
}
