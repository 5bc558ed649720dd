package table

import (
	"encoding/binary"
	"fmt"

	"github.com/ansatz-lab/ansatz/data/table/thrift"
)

// parquetPage is a page of a file that is being checked.
type parquetPage struct {
	*parquetGuard
	column parquetColumn
	codec  int64

	dictionary bool // whether a dictionary page came before

	start  int // the byte where its header begins
	header thrift.Struct
}

// The values of the format's PageType, and the field of the page header for each type.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3

	dataPageField       = 5
	dictionaryPageField = 7
	dataPageV2Field     = 8
)

// The values of the format's Encoding that we support.
const (
	encodingPlain           = 0
	encodingPlainDictionary = 2
	encodingRLE             = 3
	encodingRLEDictionary   = 8
)

// maxPage bounds the bytes of an uncompressed page; writers usually make pages of a megabyte.
const maxPage = 1 << 28

func (p *parquetPage) error(want, got string) *FormatError {
	e := p.errorAt(p.start, want+" in a page of column "+show(p.column.name), got)
	e.Hint = "write the file again, with Snappy and without delta encodings"
	return e
}

// check fails unless the library can safely decode the page. It returns the number of rows in the page, 0 for a dictionary.
func (p *parquetPage) check(stored string) (rows int64, err error) {
	size := p.header.Number(2)
	if size < 0 || size > maxPage {
		return 0, p.error(fmt.Sprintf("at most %d bytes", maxPage), fmt.Sprint(size))
	}
	if p.inflated += size; p.inflated > maxInflated {
		return 0, p.error(fmt.Sprintf("at most %d bytes in all pages", int64(maxInflated)), "more")
	}
	switch p.header.Number(1) {
	case dataPage:
		content, err := p.inflate(stored, size)
		if err != nil {
			return 0, err
		}
		return p.checkV1(content)
	case dataPageV2:
		return p.checkV2(stored, size)
	case dictionaryPage:
		content, err := p.inflate(stored, size)
		if err != nil {
			return 0, err
		}
		h := p.header.Record(dictionaryPageField)
		if e := h.Number(2); e != encodingPlain && e != encodingPlainDictionary {
			return 0, p.error("a dictionary of plain values", fmt.Sprintf("encoding %d", e))
		}
		return 0, p.checkPlain(content, h.Number(1))
	}
	return 0, p.error("data or a dictionary", fmt.Sprintf("type %d", p.header.Number(1)))
}

// checkV1 checks a data page of version 1: levels, which say which values are missing, and values, compressed together.
func (p *parquetPage) checkV1(content string) (rows int64, err error) {
	h := p.header.Record(dataPageField)
	rows = h.Number(1)
	if rows < 0 || rows > maxCells {
		return 0, p.error(fmt.Sprintf("at most %d values", maxCells), fmt.Sprint(rows))
	}
	present := rows
	if p.column.optional {
		if h.Number(3) != encodingRLE || len(content) < 4 || int64(uint32At(content, 0)) > int64(len(content)-4) {
			return 0, p.error("the levels of missing values in runs", "another encoding, or too few bytes")
		}
		end := 4 + int(uint32At(content, 0))
		if present, err = p.checkRuns(content[4:end], 1, rows); err != nil {
			return 0, err
		}
		content = content[end:]
	}
	return rows, p.checkValues(content, h.Number(2), present)
}

// checkV2 checks a data page of version 2, where the levels are not compressed.
func (p *parquetPage) checkV2(stored string, size int64) (rows int64, err error) {
	h := p.header.Record(dataPageV2Field)
	rows = h.Number(1)
	levels := h.Number(5)
	if rows < 0 || rows > maxCells || h.Number(3) != rows || h.Number(6) != 0 || levels < 0 ||
		levels > int64(len(stored)) || levels > size {
		return 0, p.error("levels, and as many values as rows", fmt.Sprintf("%d values of %d rows",
			rows, h.Number(3)))
	}
	present := rows
	if p.column.optional {
		if present, err = p.checkRuns(stored[:levels], 1, rows); err != nil {
			return 0, err
		}
	} else if levels != 0 {
		return 0, p.error("no levels", fmt.Sprintf("%d bytes", levels))
	}
	if present != rows-h.Number(2) {
		return 0, p.error(fmt.Sprintf("%d values missing", h.Number(2)), fmt.Sprint(rows-present))
	}
	content := stored[levels:]
	if compressed := !h.Has(7) || h.Number(7) == 1; compressed {
		if content, err = p.inflate(content, size-levels); err != nil {
			return 0, err
		}
	}
	return rows, p.checkValues(content, h.Number(4), present)
}

// checkValues checks that the content holds n values in an encoding.
func (p *parquetPage) checkValues(content string, encoding, n int64) error {
	switch {
	case encoding == encodingPlain:
		return p.checkPlain(content, n)
	case encoding == encodingRLE && p.column.kind == parquetBoolean:
		if len(content) < 4 || int64(uint32At(content, 0)) != int64(len(content)-4) {
			return p.error("booleans in runs", "runs of another length")
		}
		_, err := p.checkRuns(content[4:], 1, n)
		return err
	case encoding == encodingPlainDictionary || encoding == encodingRLEDictionary:
		if len(content) == 0 && n == 0 {
			return nil
		}
		if !p.dictionary || len(content) == 0 || content[0] > 32 {
			return p.error("indices of at most 32 bits into an earlier dictionary", "no dictionary, or other indices")
		}
		_, err := p.checkRuns(content[1:], int(content[0]), n)
		return err
	}
	return p.error("plain values, indices into a dictionary, or booleans in runs", fmt.Sprintf("encoding %d", encoding))
}

// checkPlain checks that the content holds n values in the plain encoding.
func (p *parquetPage) checkPlain(content string, n int64) error {
	if n < 0 || n > maxCells {
		return p.error(fmt.Sprintf("at most %d values", maxCells), fmt.Sprint(n))
	}
	enough := false
	switch p.column.kind {
	case parquetBoolean:
		enough = int64(len(content)) >= (n+7)/8
	case parquetBytes:
		enough = hasTexts(content, n)
	default:
		enough = int64(len(content)) >= n*p.column.width()
	}
	if !enough {
		return p.error(fmt.Sprintf("%d values", n), fmt.Sprintf("%d bytes", len(content)))
	}
	return nil
}

// hasTexts reports whether the content holds n texts, each after its length.
func hasTexts(content string, n int64) bool {
	for range n {
		if len(content) < 4 || int64(uint32At(content, 0)) > int64(len(content)-4) {
			return false
		}
		content = content[4+int(uint32At(content, 0)):]
	}
	return true
}

// checkRuns checks the RLE/bit-packing hybrid encoding of n numbers: runs of one repeated number, or of numbers packed in
// groups of eight, the last of which may be incomplete. It returns how many numbers are 1, if bits is 1.
func (p *parquetPage) checkRuns(content string, bits int, n int64) (ones int64, err error) {
	bad := func() error {
		return p.error(fmt.Sprintf("runs of %d numbers of %d bits", n, bits), "more or fewer numbers, or a run that is cut short")
	}
	at, found := 0, int64(0)
	for at < len(content) {
		head, size := binary.Uvarint([]byte(content[at:min(at+binary.MaxVarintLen64, len(content))]))
		count := int64(head >> 1)
		if size <= 0 || count > maxCells {
			return 0, bad()
		}
		at += size
		bytes := int64(bits+7) / 8
		if head&1 == 1 {
			bytes = count * int64(bits)
			count *= 8
		}
		if count == 0 {
			continue
		}
		if bytes > int64(len(content)-at) || found+count >= n+8 {
			return 0, bad()
		}
		if bits == 1 {
			ones += countOnes(content[at:at+int(bytes)], head&1 == 1, max(min(count, n-found), 0))
		}
		at += int(bytes)
		found += count
	}
	if found < n {
		return 0, bad()
	}
	return ones, nil
}

// countOnes returns how many of the first n numbers of a run are 1.
func countOnes(run string, packed bool, n int64) (ones int64) {
	if !packed {
		return n * int64(run[0]&1)
	}
	for i := range n {
		ones += int64(run[i/8] >> (i % 8) & 1)
	}
	return ones
}

// uint32At returns the little-endian number at a byte of a text.
func uint32At(text string, at int) uint32 { return binary.LittleEndian.Uint32([]byte(text[at : at+4])) }
