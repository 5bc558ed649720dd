package fetch

import (
	"net/http"
	"time"
)

// Options says how to fetch. The zero value is fit for use.
type Options struct {
	// Client makes all requests; nil is one with the proxy of the environment. Its CheckRedirect is called after that
	// of this package.
	Client *http.Client

	Tries    int           // at one address without a MiB of progress before the next; 0 stands for 5
	Stall    time.Duration // without a byte, after which a connection is dropped; 0 stands for a minute
	MaxBytes int64         // of a file whose size is not known; 0 stands for 4 GiB
	Limits   Limits        // on what is unpacked

	// Receipt is the receipt of an earlier call, or nil. Get does not unpack an archive of the receipt again while its
	// files exist with their sizes, even if the archive is gone. A file without a known digest must have that of the
	// receipt, or it is downloaded again.
	Receipt *Receipt

	// Progress, if not nil, is called during a download with the number of bytes of the file so far, with those of
	// earlier calls; total is 0 when unknown.
	Progress func(file string, done, total int64)

	// Note, if not nil, is called with other news for a waiting user: that a file is tried again, or that Get waits for
	// another process.
	Note func(file, text string)

	clock clock                             // nil: the true one
	free  func(folder string) (int64, bool) // nil: of the file system
}

// Limits bounds what an archive unpacks to, so that a small hostile archive cannot fill a disk. The zero value is fit
// for use.
type Limits struct {
	// Bytes of all files, for a compressed tar with its headers. 0 is the lesser of two bounds. One is 1100 times the
	// archive and 1 MiB: deflate cannot exceed 1032, so only an archive that uses the same bytes twice, or bzip2 of
	// zeros, reaches it. The other is 8 GiB or, if that is more, 200 times the archive: text seldom exceeds 20, images
	// hardly 1.
	Bytes int64

	Entries int // files and folders; 0 stands for 2²¹ (ImageNet has 1.3 million files)
	Name    int // bytes of a path in the archive; 0 stands for 1024
	Depth   int // elements of such a path; 0 stands for 32
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
	l.Entries = orElse(l.Entries, 1<<21)
	l.Name = orElse(l.Name, 1024)
	l.Depth = orElse(l.Depth, 32)
	return l
}

// saturated returns a·b, or an eighth of the largest number if that is less.
func saturated(a, b int64) int64 {
	const most = 1 << 60
	if b > most/a {
		return most
	}
	return a * b
}

func orElse[T comparable](value, otherwise T) T {
	if value == *new(T) {
		return otherwise
	}
	return value
}
