package draw

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"html/template"
	"strings"
)

// DataURL returns a file with a media type, such as image/png, as a data URL.
func DataURL(kind string, data []byte) template.URL {
	return template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data))
}

// svgEscapes escapes the characters that would end an attribute of HTML or a URL, or begin an escape in them.
var svgEscapes = strings.NewReplacer("%", "%25", "#", "%23", `"`, "%22", "&", "%26", "\n", "%0A", "\r", "%0D",
	"\t", "%09")

// SVGSource returns an SVG as the attribute src of an image: as text, which takes three quarters of the bytes of base64.
func SVGSource(svg []byte) template.HTMLAttr {
	text := svgEscapes.Replace(strings.ToValidUTF8(string(svg), "\uFFFD"))
	return template.HTMLAttr(`src="data:image/svg+xml;charset=utf-8,` + text + `"`)
}

// Compress returns the attribute data-gzip with the compressed content in base64, which a page's script unpacks.
func Compress(content []byte) (template.HTMLAttr, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(content); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return template.HTMLAttr(`data-gzip="` + base64.StdEncoding.EncodeToString(b.Bytes()) + `"`), nil
}
