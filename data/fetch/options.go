package fetch

import (
	"cmp"
	"net/http"
	"time"
)

// Options says how to fetch. The zero value is ready to use.
type Options struct {
	// Client makes all requests; nil means a client with the proxy of the environment. This package applies its own
	// rules for redirects before the client's CheckRedirect.
	Client *http.Client

	Tries    int           // tries at one address without a MiB of progress; 0 means 5
	Stall    time.Duration // time without a byte after which a connection is dropped; 0 means a minute
	MaxBytes int64         // largest size of a file whose size is not known; 0 means 4 GiB
	Limits   Limits        // limits of unpacking

	// Receipt is the receipt of an earlier call, or nil. Get does not unpack an archive of the receipt again while its
	// files exist with the right sizes, even if the archive is gone. For a file without a known digest Get uses the
	// receipt's digest, and downloads the file again if that differs.
	Receipt *Receipt

	// Progress, if not nil, is called during a download with the number of bytes of the file so far, including those
	// from earlier calls; total is 0 if unknown.
	Progress func(file string, done, total int64)

	// Note, if not nil, is called with other news for a waiting user, such as a retry, or that Get waits for another
	// process.
	Note func(file, text string)

	clock clock                             // nil means the system's
	free  func(folder string) (int64, bool) // free bytes; nil means the file system's
}

// Limits bounds the result of unpacking an archive, so that a small hostile archive cannot fill a disk. The zero value is
// ready to use.
type Limits struct {
	// Bytes bounds the bytes of all files, including the headers of a compressed tar. 0 means the lesser of two bounds.
	// One is 1 MiB plus 1100 times the archive: deflate reaches at most 1032:1, so only an archive that uses the same
	// bytes twice, or bzip2 of zeros, exceeds it. The other is 8 GiB or, if that is more, 200 times the archive: text
	// seldom exceeds 20:1, images hardly 1:1.
	Bytes int64

	Entries int // largest number of files and folders; 0 means 2²¹ (ImageNet has 1.3 million files)
	Name    int // largest number of bytes of a path in the archive; 0 means 1024
	Depth   int // largest number of elements of such a path; 0 means 32
}

const (
	gib           = 1 << 30
	deflateRatio  = 1100
	generousRatio = 200
)

// orDefault returns l with its zero values replaced by the defaults for an archive of the given size.
func (l Limits) orDefault(archive int64) Limits {
	if l.Bytes == 0 {
		l.Bytes = min(1<<20+saturated(deflateRatio, archive), max(8*gib, saturated(generousRatio, archive)))
	}
	l.Entries = cmp.Or(l.Entries, 1<<21)
	l.Name = cmp.Or(l.Name, 1024)
	l.Depth = cmp.Or(l.Depth, 32)
	return l
}

// saturated returns a·b, or 2⁶⁰ if that is less.
func saturated(a, b int64) int64 {
	const most = 1 << 60
	if b > most/a {
		return most
	}
	return a * b
}
