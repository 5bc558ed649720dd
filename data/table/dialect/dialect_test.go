package dialect

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ansatz-lab/ansatz/data/array"
)

// TestFlags checks that Set reads what String returns, and that it reads names for separators that cannot be typed.
func TestFlags(t *testing.T) {
	for text, want := range map[string]Separator{"comma": ',', "semicolon": ';', "tab": '\t', "pipe": '|', "space": ' ',
		"auto": 0, ":": ':', ";": ';', "§": '§', "\t": '\t'} {
		var s Separator
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("%q is %q: %v", text, rune(s), err)
		}
		var again Separator
		if err := again.Set(s.String()); err != nil || again != s {
			t.Errorf("%q is written as %q: %v", text, s, err)
		}
	}
	for _, text := range []string{"", "x", "7", "::", "\"", "\n", "\r", "\xff", "\x00", "\ufffd", "comma "} {
		s := Pipe
		if err := s.Set(text); err == nil || s != Pipe {
			t.Errorf("%q separates values: %q", text, rune(s))
		}
	}
	type value interface {
		Set(text string) error
		String() string
	}
	for _, c := range []struct {
		flag   value
		values []string
	}{
		{new(Header), []string{"yes", "no", "auto"}}, {new(Decimal), []string{"point", "comma", "auto"}},
		{new(Encoding), []string{"utf-8", "utf-16", "latin1", "windows-1252", "auto"}},
	} {
		for _, text := range c.values {
			if err := c.flag.Set(text); err != nil || c.flag.String() != text {
				t.Errorf("%s is %s: %v", text, c.flag, err)
			}
		}
		if err := c.flag.Set("other"); err == nil || !strings.Contains(err.Error(), c.values[0]) || c.flag.String() != "auto" {
			t.Errorf("other is a value: %v", err)
		}
	}
}

// TestString checks that String describes the parts of a dialect that are known.
func TestString(t *testing.T) {
	for want, d := range map[string]Dialect{
		"": {}, "tabs": {Separator: Tab}, "spaces": {Separator: ' '}, "separated by ':', no header": {Separator: ':', Header: NoNames},
		"semicolons, header, decimal comma, Latin-1": {Separator: Semicolon, Header: Names, Decimal: DecimalComma, Encoding: Latin1},
		"commas, header, UTF-16":                     {Separator: Comma, Header: Names, Decimal: DecimalPoint, Encoding: UTF16},
	} {
		if got := d.String(); got != want || d.Check() != nil {
			t.Errorf("%q, want %q: %v", got, want, d.Check())
		}
	}
}

func TestDetectSeparator(t *testing.T) {
	long := "a;b\n" + strings.Repeat("1,5;2,5\n", 20000) // its sample ends within a line
	quoted := "a,\"b;c\"\n" + strings.Repeat("1,\"x;\ny;z\"\n", 20000)
	for text, want := range map[string]Separator{
		"": Comma, "a": Comma, "a,b": Comma, "a;b\n1;2": Semicolon, "a\tb\n1\t2": Tab, "a|b\n1|2": Pipe, long: Semicolon,
		quoted: Comma, "1,5;2,5;7\n3,5;4,5;8\n": Semicolon, "1,a;b,3\n2,c;d,4\n": Comma, "a;b,c,d\n1;2\n3;4,5\n": Semicolon, "a,b,c;d\n1;2\n3\n": Comma,
		"x;\"a,b\"\ny;\"c,d,e\"\n": Semicolon, "a b\nc d\n": Comma, "a;b;c\n1;2\n": Semicolon, "a,b;c\n1,2;3\n": Semicolon,
		strings.Repeat("1;", sampledBytes): Semicolon, "0,25;alt;0,5\n1,5;neu;2,5\n": Semicolon,
		"a,b\n\"x;y\",1\n\"z;w\",2\n": Comma, "K;87,5;x\nL;88,5;y\n": Semicolon,
	} {
		if got := DetectSeparator(text); got != want {
			t.Errorf("%.30q: %v, want %v", text, got, want)
		}
	}
}

// TestDecodeBound checks that a decoded text may not exceed the limit. A euro sign, one byte in windows-1252, becomes
// three bytes of UTF-8.
func TestDecodeBound(t *testing.T) {
	for _, c := range []struct {
		e    Encoding
		text string
		size int64
	}{{Windows, "\x80\x80a", 7}, {Latin1, "\xe9a", 3}, {UTF16, "\xff\xfe\xac\x20a\x00\x3d\xd8\x00\xde", 8}} {
		got, err := c.e.Decode("t", c.text, c.size)
		if err != nil || int64(len(got.Text)) != c.size || !utf8.ValidString(got.Text) {
			t.Errorf("%v: %q: %v", c.e, got.Text, err)
		}
		var f *array.FormatError
		if _, err := c.e.Decode("t", c.text, c.size-1); !errors.As(err, &f) || !strings.Contains(f.Want, "at most") {
			t.Errorf("%v: %v", c.e, err)
		}
	}
}

// FuzzDecode checks that any bytes give a text in UTF-8 or an error with an offset within them, and that a text
// decoded from another encoding stays within the limit.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{"a", "\xef\xbb\xbfa", "\xff\xfea\x00", "\xfe\xff\x00a", "\xff\xfe\x00\xd8", "caf\xe9", "caf\xe9\x81",
		"ö\xff", "a\x00b\x00", "\x00a\x00b", "\xef\xbb\xbf\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const most = 50
		for _, e := range []Encoding{"", UTF8, UTF16, Latin1, Windows} {
			got, err := e.Decode("fuzz", text, most)
			var fault *array.FormatError
			switch {
			case err == nil && (!utf8.ValidString(got.Text) || e != UTF8 && got.Encoding != UTF8 && len(got.Text) > most):
				t.Fatalf("%v: %q", e, got.Text)
			case err == nil && got.Shift >= 0 && text[got.Shift:] != got.Text:
				t.Fatalf("%v: %d bytes before %q", e, got.Shift, got.Text)
			case err != nil && (!errors.As(err, &fault) || fault.Offset > int64(len(text)) || fault.Want == "" || fault.Got == ""):
				t.Fatalf("%v: %v", e, err)
			}
		}
	})
}
