package fetch

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// longestLine bounds a line of a receipt: two quoted paths.
const longestLine = 64 << 10

// ReadReceipt reads a file that [WriteReceipt] wrote. It returns an [*Error] with the
// offset of the line at fault, or one that wraps [fs.ErrNotExist] if there is no file.
func ReadReceipt(path string) (*Receipt, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &Error{Path: path, Offset: noOffset, Want: "a receipt", Err: err,
			Hint: "get the dataset again: existing files are not fetched twice"}
	}
	defer f.Close()
	return parseReceipt(path, f)
}

// receiptParser reads a receipt line by line.
type receiptParser struct {
	path    string
	lines   *bufio.Reader
	at, end int64 // the offsets of the current line's beginning and end
	receipt Receipt
	count   int
}

func parseReceipt(path string, r io.Reader) (*Receipt, error) {
	p := &receiptParser{path: path, lines: bufio.NewReaderSize(r, longestLine)}
	line, err := p.next()
	if err != nil {
		return nil, err
	}
	if line != receiptTitle {
		return nil, p.fault(receiptTitle, line)
	}
	for {
		line, err := p.next()
		if err != nil {
			return nil, err
		}
		done, err := p.line(line)
		if err != nil {
			return nil, err
		}
		if done {
			break
		}
	}
	if _, err := p.lines.Peek(1); err != io.EOF {
		p.at = p.end
		return nil, p.fault("nothing after the count of files", "more")
	}
	return &p.receipt, nil
}

// next returns a line without its end.
func (p *receiptParser) next() (string, error) {
	p.at = p.end
	b, err := p.lines.ReadSlice('\n')
	p.end += int64(len(b))
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", p.fault(fmt.Sprintf("lines of at most %d bytes", longestLine), "a longer one")
	case err == io.EOF:
		return "", p.fault(`a line, the last one "# end COUNT"`, "the end of the file")
	case err != nil:
		return "", onDisk(p.path, err)
	}
	return string(b[:len(b)-1]), nil
}

// line reads a line, or the two lines of a file, and reports whether it is the last one.
func (p *receiptParser) line(line string) (end bool, err error) {
	comment, ok := strings.CutPrefix(line, "# ")
	if !ok {
		return false, p.fault("a line that begins with #", line)
	}
	if source, ok := strings.CutPrefix(comment, "source "); ok {
		return false, p.source(source)
	}
	if count, ok := strings.CutPrefix(comment, "end "); ok {
		if count != strconv.Itoa(p.count) {
			return false, p.fault(fmt.Sprintf("the count of files, %d", p.count), count)
		}
		return true, nil
	}
	return false, p.file(comment)
}

func (p *receiptParser) source(line string) error {
	const want = `# source BYTES DIGEST "PATH" "INTO"`
	size, rest, _ := strings.Cut(line, " ")
	digest, rest, _ := strings.Cut(rest, " ")
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil || len(rest) <= len(quoted) || rest[len(quoted)] != ' ' {
		return p.fault(want, line)
	}
	s := Source{}
	path, err1 := strconv.Unquote(quoted)
	into, err2 := strconv.Unquote(rest[len(quoted)+1:])
	n, ok1 := parseSize(size)
	sum, ok2 := parseSum(digest)
	if err1 != nil || err2 != nil || !ok1 || !ok2 {
		return p.fault(want, line)
	}
	s.Path, s.Into, s.Bytes, s.SHA256 = path, into, n, sum
	// Accept only the form in which WriteReceipt writes it.
	if line != fmt.Sprintf("%d %s %q %q", s.Bytes, s.SHA256, s.Path, s.Into) {
		return p.fault(want+" as ansatz writes it", line)
	}
	if strictName(path) != "" || into != "" && into != "." && strictName(into) != "" {
		return p.fault("paths in the data folder", line)
	}
	p.receipt.Sources = append(p.receipt.Sources, s)
	return nil
}

// file reads the line of a file, which follows the line with its size.
func (p *receiptParser) file(size string) error {
	n, ok := parseSize(size)
	if !ok {
		return p.fault("a size in bytes", size)
	}
	line, err := p.next()
	if err != nil {
		return err
	}
	digest, path, _ := strings.Cut(line, "  ")
	sum, ok := parseSum(digest)
	if !ok {
		return p.fault("DIGEST  PATH", line)
	}
	if why := strictName(path); why != "" {
		return p.fault("a path in the data folder", why)
	}
	if len(p.receipt.Sources) == 0 {
		return p.fault("a source before its files", line)
	}
	s := &p.receipt.Sources[len(p.receipt.Sources)-1]
	if !s.mayHave(path) {
		return p.fault("a file of "+s.Path, path)
	}
	if len(s.Files) > 0 && s.Files[len(s.Files)-1].Path >= path {
		return p.fault("files in the order of their paths", path)
	}
	s.Files = append(s.Files, Entry{Path: path, Bytes: n, SHA256: sum})
	p.count++
	return nil
}

// mayHave reports whether the source can contain a file at path.
func (s *Source) mayHave(path string) bool {
	switch s.Into {
	case "":
		return path == s.Path
	case ".":
		return path != s.Path
	}
	return strings.HasPrefix(path, s.Into+"/") && path != s.Path
}

// parseSize parses a size in exactly the form that %d writes.
func parseSize(text string) (int64, bool) {
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(n), err == nil && strconv.FormatUint(n, 10) == text
}

func parseSum(text string) (s Sum, ok bool) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(s) {
		return s, false
	}
	s = Sum(b)
	return s, s.String() == text
}

func (p *receiptParser) fault(want, got string) error {
	const most = 100
	if len(got) > most {
		got = got[:most] + "…"
	}
	return &Error{Path: p.path, Offset: p.at, Want: want, Got: strconv.Quote(got),
		Hint: "remove the receipt and get the dataset again: existing files are not fetched twice"}
}
