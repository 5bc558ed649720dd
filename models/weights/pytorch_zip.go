package weights

import (
	"archive/zip"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/pickle"
)

const formatZip = "PyTorch (zip)"

const hintScript = "it is a TorchScript program; in Python, save its parameters: " +
	"torch.save(torch.jit.load('model.pt').state_dict(), 'weights.pth')"

// An archive is a zip archive of torch.save: in one folder of any name, the
// pickle data.pkl, a record data/KEY for every storage, and some small records.
type archive struct {
	size    int64
	folder  string
	records map[string]*zip.File // by name within the folder
}

// readZip reads the state dict in a zip archive.
func readZip(r io.ReaderAt, size int64) (*StateDict, error) {
	a, err := openArchive(r, size)
	if err != nil {
		return nil, err
	}
	if err := a.checkKind(); err != nil {
		return nil, err
	}
	program, at, err := a.pickle()
	if err != nil {
		return nil, err
	}
	v, err := program.Run(newMachine())
	if err != nil {
		return nil, runFailed(formatZip, at, err)
	}
	return assemble(a, v, at, size)
}

// openArchive reads the directory of an archive and finds the folder that has
// data.pkl.
func openArchive(r io.ReaderAt, size int64) (*archive, error) {
	// A SectionReader returns io.EOF for the offsets beyond the file in damaged headers.
	z, err := zip.NewReader(io.NewSectionReader(r, 0, size), size)
	if err != nil {
		return nil, readFailed(formatZip, size, "the directory of a zip archive before the end of the file", err)
	}
	a := &archive{size: size, records: make(map[string]*zip.File)}
	for _, f := range z.File {
		folder, ok := strings.CutSuffix(f.Name, "/data.pkl")
		if !ok || strings.Contains(folder, "/") {
			continue
		}
		if a.folder != "" {
			return nil, a.fail(noOffset, "one data.pkl", "a second one", hintForged)
		}
		a.folder = folder
	}
	if a.folder == "" {
		return nil, a.fail(noOffset, "the record data.pkl, which torch.save writes", contents(z), hintStateDict)
	}
	return a, a.index(z)
}

// contents describes the records of a zip archive that is not from torch.save.
func contents(z *zip.Reader) string {
	if len(z.File) == 0 {
		return "an empty archive"
	}
	return fmt.Sprintf("%d others, the first being %q", len(z.File), shorten(z.File[0].Name))
}

// index collects the records in the folder. It refuses two records of one name, since
// different programs would read different ones.
func (a *archive) index(z *zip.Reader) error {
	for _, f := range z.File {
		name, ok := strings.CutPrefix(f.Name, a.folder+"/")
		if !ok {
			continue
		}
		if a.records[name] != nil {
			return a.fail(noOffset, fmt.Sprintf("one record %q", shorten(name)), "two", hintForged)
		}
		a.records[name] = f
	}
	return nil
}

// checkKind returns an error for archives that are laid out like those of torch.save
// but hold something else.
func (a *archive) checkKind() error {
	if a.records["constants.pkl"] != nil {
		return a.fail(noOffset, "an archive of torch.save", "one of torch.jit.save", hintScript)
	}
	f := a.records["byteorder"]
	if f == nil {
		return nil
	}
	const want = `"little" in the record byteorder`
	rec, err := a.record(f, want)
	if err != nil {
		return err
	}
	defer rec.Close()
	order, err := io.ReadAll(io.LimitReader(rec, int64(len("little")+1)))
	if err != nil {
		return readFailed(formatZip, rec.offset, want, err)
	}
	if string(order) != "little" {
		return a.fail(rec.offset, want, fmt.Sprintf("%q", order),
			"save it on a machine whose numbers are little-endian")
	}
	return nil
}

// pickle returns the scanned pickle in data.pkl and its offset in the file. If the
// pickle is compressed, the offsets in errors are relative to the pickle.
func (a *archive) pickle() (program *pickle.Program, at int64, err error) {
	f := a.records["data.pkl"]
	rec, err := a.record(f, "the record data.pkl")
	if err != nil {
		return nil, 0, err
	}
	defer rec.Close()
	format, base := formatZip, rec.offset
	if f.Method != zip.Store {
		format, base = formatZip+", data.pkl inflated", 0
		if err := a.checkInflation(f, rec.offset); err != nil {
			return nil, 0, err
		}
	}
	program, err = pickle.Scan(rec, rec.size, maxPickle)
	if err != nil {
		return nil, 0, pickleFailed(format, base, err)
	}
	if n := program.Size(); n != rec.size {
		return nil, 0, a.fail(rec.offset, fmt.Sprintf("a pickle of %d bytes in data.pkl", rec.size),
			fmt.Sprintf("its end after %d", n), hintForged)
	}
	if err := atEnd(rec); err != nil {
		return nil, 0, readFailed(formatZip, rec.offset, "the record data.pkl", err)
	}
	return program, rec.offset, nil
}

// checkInflation returns an error for a pickle that would fill the memory when
// decompressed. A pickle of names and shapes does not compress so well.
func (a *archive) checkInflation(f *zip.File, at int64) error {
	const times, floor = 100, 64 << 10
	if f.UncompressedSize64 <= floor || f.UncompressedSize64/times <= f.CompressedSize64 {
		return nil
	}
	return a.fail(at,
		fmt.Sprintf("a pickle compressed to no less than 1/%d", times),
		fmt.Sprintf("%d bytes for %d", f.CompressedSize64, f.UncompressedSize64),
		hintForged)
}

func (a *archive) format() string { return formatZip }

// open returns the record of a storage.
func (a *archive) open(s *storage) (*record, error) {
	want := fmt.Sprintf("the record %q", shorten("data/"+s.key))
	f := a.records["data/"+s.key]
	if f == nil {
		return nil, a.fail(noOffset, want, "no such record", hintCut)
	}
	return a.record(f, want)
}

// record opens a record, which errors call want, after checking that it is of a kind
// that can be read and lies within the file.
func (a *archive) record(f *zip.File, want string) (*record, error) {
	const encrypted = 1
	if f.Flags&encrypted != 0 {
		return nil, a.fail(noOffset, want, "it encrypted", "decrypt the archive")
	}
	if f.Method != zip.Store && f.Method != zip.Deflate {
		return nil, a.fail(noOffset, want, fmt.Sprintf("it compressed by method %d", f.Method),
			"re-save it with torch.save")
	}
	offset, err := f.DataOffset()
	if err != nil {
		return nil, readFailed(formatZip, noOffset, want, err)
	}
	if offset > a.size || f.CompressedSize64 > uint64(a.size-offset) {
		return nil, cut(formatZip, a.size, want)
	}
	if f.UncompressedSize64 > math.MaxInt64 || f.Method == zip.Store && f.UncompressedSize64 != f.CompressedSize64 {
		return nil, a.fail(offset, want, fmt.Sprintf("%d bytes for %d", f.CompressedSize64, f.UncompressedSize64),
			hintCut)
	}
	rc, err := f.Open()
	if err != nil {
		return nil, readFailed(formatZip, offset, want, err)
	}
	return &record{ReadCloser: rc, offset: offset, size: int64(f.UncompressedSize64)}, nil
}

func (a *archive) fail(offset int64, want, got, hint string) error {
	return &FormatError{Format: formatZip, Offset: offset, Want: want, Got: got, Hint: hint}
}
