package weights

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// parseHeader parses the JSON of a safetensors header. It returns the places of
// the tensors in the header's order, and the metadata, which is nil if there is none.
func parseHeader(header []byte) (places []place, metadata map[string]string, err error) {
	if err := checkJSON(header); err != nil {
		return nil, nil, err
	}
	p := headerParser{json.NewDecoder(bytes.NewReader(header))}
	p.dec.UseNumber()
	err = p.object(func(name string) (err error) {
		if name == metadataKey {
			metadata, err = p.metadata()
			return err
		}
		place, err := p.place(name)
		places = append(places, place)
		return err
	})
	return places, metadata, err
}

// checkJSON checks that a header is one JSON value, in UTF-8, that begins with a
// brace.
func checkJSON(header []byte) error {
	fail := func(at int, got string, err error) error {
		return &FormatError{
			Format: formatSafetensors,
			Offset: int64(lengthSize + at),
			Want:   "a header in JSON that begins with a brace",
			Got:    got,
			Hint:   hintCut,
			Err:    err,
		}
	}
	if len(header) == 0 || header[0] != '{' {
		return fail(0, fmt.Sprintf("%q", header[:min(len(header), 8)]), nil)
	}
	if !utf8.Valid(header) {
		return fail(0, "text that is not UTF-8", nil)
	}
	err := json.Unmarshal(header, new(json.RawMessage))
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fail(int(syntax.Offset), "other text", err)
	}
	return err
}

// A headerParser reads a header that is known to be JSON token by token, since
// json.Unmarshal would silently keep the last of two equal keys.
type headerParser struct {
	dec *json.Decoder
}

// object reads an object. It calls member with each key, to read its value.
func (p headerParser) object(member func(key string) error) error {
	if err := p.delim('{', "an object"); err != nil {
		return err
	}
	seen := make(map[string]bool)
	for p.dec.More() {
		key, err := p.text()
		if err != nil {
			return err
		}
		if seen[key] {
			return p.fail("every key once", fmt.Sprintf("%q twice", shorten(key)), hintSafetensors)
		}
		seen[key] = true
		if err := member(key); err != nil {
			return err
		}
	}
	return p.delim('}', "the end of an object")
}

// metadata reads the metadata, an object of texts.
func (p headerParser) metadata() (map[string]string, error) {
	metadata := make(map[string]string)
	err := p.object(func(key string) (err error) {
		metadata[key], err = p.text()
		return err
	})
	return metadata, err
}

// place reads the object that describes the tensor of a name.
func (p headerParser) place(name string) (place, error) {
	pl := place{name: name, at: p.offset()}
	var given int
	err := p.object(func(key string) (err error) {
		given++
		switch key {
		case "dtype":
			pl.dtype, err = p.dtype()
		case "shape":
			pl.shape, err = p.numbers(maxRank)
		case "data_offsets":
			pl.begin, pl.end, err = p.offsets()
		default:
			err = p.fail("dtype, shape or data_offsets", fmt.Sprintf("%q", shorten(key)), hintSafetensors)
		}
		return err
	})
	if err == nil && given != 3 {
		err = p.fail("a dtype, a shape and data_offsets", fmt.Sprintf("%d of them for %q", given, shorten(name)),
			hintSafetensors)
	}
	return pl, err
}

func (p headerParser) dtype() (dtype, error) {
	name, err := p.text()
	if err != nil {
		return 0, err
	}
	d, ok := dtypeOfSafetensors(name)
	if !ok {
		return 0, p.fail("a dtype of floating-point numbers of 16 to 64 bits, integers or BOOL",
			fmt.Sprintf("%q", shorten(name)), hintDtype)
	}
	return d, nil
}

func (p headerParser) offsets() (begin, end int64, err error) {
	both, err := p.numbers(2)
	if err != nil {
		return 0, 0, err
	}
	if len(both) != 2 {
		return 0, 0, p.fail("two data_offsets", strconv.Itoa(len(both)), hintSafetensors)
	}
	return both[0], both[1], nil
}

// numbers reads an array of at most most numbers ≥ 0.
func (p headerParser) numbers(most int) ([]int64, error) {
	if err := p.delim('[', "an array"); err != nil {
		return nil, err
	}
	all := []int64{}
	for p.dec.More() {
		n, err := p.number()
		if err != nil {
			return nil, err
		}
		if len(all) == most {
			return nil, p.fail(fmt.Sprintf("an array of at most %d numbers", most), "more", hintSafetensors)
		}
		all = append(all, n)
	}
	return all, p.delim(']', "the end of an array")
}

func (p headerParser) number() (int64, error) {
	token, err := p.dec.Token()
	if err != nil {
		return 0, err
	}
	number, _ := token.(json.Number)
	n, err := strconv.ParseInt(number.String(), 10, 64)
	if err != nil || n < 0 {
		return 0, p.unexpected("an integer ≥ 0", token)
	}
	return n, nil
}

func (p headerParser) text() (string, error) {
	token, err := p.dec.Token()
	if err != nil {
		return "", err
	}
	s, ok := token.(string)
	if !ok {
		return "", p.unexpected("a text", token)
	}
	return s, nil
}

func (p headerParser) delim(d json.Delim, want string) error {
	token, err := p.dec.Token()
	if err != nil {
		return err
	}
	if token != d {
		return p.unexpected(want, token)
	}
	return nil
}

// offset returns the byte of the file after the last token.
func (p headerParser) offset() int64 { return lengthSize + p.dec.InputOffset() }

// unexpected returns the error for a token other than the wanted one.
func (p headerParser) unexpected(want string, token json.Token) error {
	return p.fail(want, printable(fmt.Sprint(token)), hintSafetensors)
}

func (p headerParser) fail(want, got, hint string) error {
	return &FormatError{Format: formatSafetensors, Offset: p.offset(), Want: want, Got: got, Hint: hint}
}
