package weights

import (
	"bytes"
	"io"
)

const hintTar = "it was saved by a PyTorch before 0.1.10; with a PyTorch since 1.6, re-save it: " +
	"torch.save(torch.load('old.pth', weights_only=False), 'new.pth'), if you trust its author"

// ReadPyTorch reads the state dict in a file of torch.save, of which r holds size
// bytes. It knows the zip archives written since PyTorch 1.6, stored or deflated,
// and the pickles written from 0.1.10 on.
//
// The file may hold the state dict itself or a checkpoint: a dict with the state
// dict under "state_dict", "model_state_dict", "model", "net" or "params", in this
// order of preference, whose other entries are ignored. The prefixes "module." of
// DataParallel and "_orig_mod." of torch.compile are dropped if every name has
// them. Entries whose name ends in "_extra_state", which PyTorch's modules use
// for state other than tensors, are left out.
//
// Tensors may be transposed, sliced or expanded and may share storages: each
// becomes a contiguous tensor of its own. The tensors and the storages from which
// they are read may together take 16 times the size of the file or 16 MiB,
// whichever is more.
//
// A file that cannot be read like this gives a [*FormatError]. An error of r
// itself is wrapped.
func ReadPyTorch(r io.ReaderAt, size int64) (*StateDict, error) {
	head, err := readHead(r, size)
	if err != nil {
		return nil, err
	}
	switch {
	case isZip(head):
		return readZip(r, size)
	case isTar(head):
		return nil, &FormatError{
			Format: "PyTorch (tar)",
			Want:   "a zip archive or a pickle of torch.save",
			Got:    "a tar archive",
			Hint:   hintTar,
		}
	case isPickle(head):
		return readOld(r, size)
	}
	return nil, notRecognised("PyTorch", head)
}

// maxPickle is the largest size of a pickle in bytes. A pickle holds names and
// shapes; the elements of tensors are elsewhere.
const maxPickle = 256 << 20

// headSize is the number of bytes that show which format a file has.
const headSize = 512

// readHead returns the first bytes of a file, fewer than headSize if it is
// shorter.
func readHead(r io.ReaderAt, size int64) ([]byte, error) {
	head := make([]byte, max(0, min(size, headSize)))
	if _, err := io.ReadFull(io.NewSectionReader(r, 0, size), head); err != nil {
		return nil, readFailed("", 0, "the beginning of the file", err)
	}
	return head, nil
}

func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

func isTar(head []byte) bool {
	const at = 257
	return len(head) > at && bytes.HasPrefix(head[at:], []byte("ustar"))
}

// isPickle reports whether the head is the beginning of a pickle, of protocol 2 or
// later or, in protocols 0 and 1, of torch.save's magic number.
func isPickle(head []byte) bool {
	return len(head) >= 2 && head[0] == 0x80 && head[1] <= 5 || bytes.HasPrefix(head, []byte("L1195470"))
}

// assemble reads the tensors of the state dict in v, the object in the pickle at
// byte at of a file of the given size.
func assemble(from container, v any, at, size int64) (*StateDict, error) {
	tensors, wrong := unwrap(v)
	if wrong != nil {
		return nil, &FormatError{
			Format: from.format(),
			Offset: at,
			Want:   wrong.want,
			Got:    wrong.got,
			Hint:   wrong.hint,
		}
	}
	d, err := load(from, tensors, budgetFor(size))
	if err != nil {
		return nil, err
	}
	return d.withoutWrapping(), nil
}

// runFailed returns the error of running the pickle at byte at of a file.
func runFailed(format string, at int64, err error) error {
	return &FormatError{
		Format: format,
		Offset: at,
		Want:   "a pickle of torch.save",
		Got:    "one that cannot be run",
		Hint:   hintCut,
		Err:    err,
	}
}
