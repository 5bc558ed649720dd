package memory

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"
)

// TestUseHugePages checks that after UseHugePages a large block of memory is in a mapping for which the kernel was
// advised to use huge pages.
func TestUseHugePages(t *testing.T) {
	if hugeRoom() == 0 {
		t.Skip("this system does not leave huge pages to programs, or limits their memory")
	}
	UseHugePages()
	block := unwritten(2 * ballastBytes) // more than the place of a ballast that another test freed
	middle := &block[len(block)/2]
	if flags := mappingFlags(t, uintptr(unsafe.Pointer(middle))); !strings.Contains(flags+" ", " hg ") {
		t.Errorf("the flags of a new block are%s, want hg among them", flags)
	}
}

// TestHugePagesAreNotTouched checks that UseHugePages does not write to its block, even where the heap has used the
// same addresses before.
func TestHugePagesAreNotTouched(t *testing.T) {
	size := hugeRoom()
	if size == 0 {
		t.Skip("this system does not leave huge pages to programs, or limits their memory")
	}
	grown, err := Peak(func() error {
		UseHugePages()
		UseHugePages()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if grown > size/16 {
		t.Errorf("the peak of memory grew by %d bytes, want a small part of the %d of the block", grown, size)
	}
}

// mappingFlags returns the flags of the mapping that contains an address, each with a space before it.
func mappingFlags(t *testing.T, at uintptr) string {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	here := false
	for s := bufio.NewScanner(f); s.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(s.Text(), "%x-%x ", &from, &to); n == 2 {
			here = from <= at && at < to
		}
		if flags, ok := strings.CutPrefix(s.Text(), "VmFlags:"); ok && here {
			return flags
		}
	}
	t.Fatal("no mapping has the address")
	return ""
}

// TestNoHugePagesUnderLimits checks that no huge pages are used under limits of the address space or of the garbage
// collector, since unused memory may count there.
func TestNoHugePagesUnderLimits(t *testing.T) {
	withAddressRoom(t, reserve()+1<<30, func() {
		if n := hugeRoom(); n != 0 {
			t.Errorf("%d bytes under a limit of the address space", n)
		}
	})
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64 - 1))
	if n := hugeRoom(); n != 0 {
		t.Errorf("%d bytes under a limit of the garbage collector", n)
	}
}
