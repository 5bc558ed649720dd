package jsonfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
)

// Seal returns the text of a non-empty JSON object with a key digest added at its end: the SHA-256 of all the text
// before it. [ReadSealed] checks it.
func Seal(object []byte) []byte {
	body := bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(object), []byte("}")))
	return append(bytes.Clone(body), seal(body)...)
}

// seal returns the text that follows the body of a sealed object.
func seal(body []byte) string {
	return fmt.Sprintf(",\n  \"digest\": \"%x\"\n}\n", sha256.Sum256(body))
}

// ReadSealed is [Read], but returns an error if an object's digest does not match its text. Objects without a digest,
// which earlier versions wrote, are accepted.
func ReadSealed(path string, maxBytes int64, v any) error {
	text, err := readBytes(path, maxBytes)
	if err != nil {
		return err
	}
	if err = decode(text, v, false); err == nil {
		err = checkSeal(text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func checkSeal(text []byte) error {
	var s struct {
		Digest *json.RawMessage `json:"digest"`
	}
	if err := json.Unmarshal(text, &s); err != nil || s.Digest == nil {
		return err
	}
	end := bytes.LastIndex(text, []byte(",\n  \"digest\""))
	if end < 0 || string(text[end:]) != seal(text[:end]) {
		return errors.New("its text is not that of the digest at its end: the file was changed after it was written; " +
			"write it again, or take a copy of what it was")
	}
	return nil
}

// Digest returns the SHA-256 of a file that [Read] would read, in hexadecimal digits.
func Digest(path string, maxBytes int64) (string, error) {
	text, err := readBytes(path, maxBytes)
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}
