package pickle

import (
	"bytes"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"
)

// A noted is a World that records the calls of its methods and knows only the module "known".
type noted struct{ notes []string }

func (w *noted) note(format string, args ...any) string {
	s := fmt.Sprintf(format, args...)
	w.notes = append(w.notes, s)
	return s
}

func (w *noted) Global(module, name string) any {
	if module != "known" {
		return nil
	}
	return name
}

func (w *noted) Call(f any, args []any) any {
	return w.note("call %s%s", show(f), showAll(args, "(", ")"))
}

func (w *noted) Build(object, state any) { w.note("build %s of %s", show(object), show(state)) }

func (w *noted) Persistent(id any) any { return w.note("persistent %s", show(id)) }

// show returns a text of a value, similar to Python's. The value must not contain itself.
func show(v any) string {
	if items, ok := Sequence(v); ok {
		return showAll(items, "[", "]")
	}
	if all, ok := Entries(v); ok {
		var parts []any
		for _, e := range all {
			parts = append(parts, e.Key, e.Value)
		}
		return showAll(parts, "{", "}")
	}
	switch v := v.(type) {
	case string:
		return v
	case *Global:
		return "global " + v.Name
	case *Object:
		return "object " + v.Class
	case *big.Int:
		return v.String()
	}
	if s, ok := Text(v); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(v)
}

func showAll(items []any, open, end string) string {
	parts := make([]string, len(items))
	for i, item := range items {
		parts[i] = show(item)
	}
	return open + strings.Join(parts, " ") + end
}

// runText scans a pickle and runs it with the World w.
func runText(t *testing.T, code string, w World) (any, error) {
	t.Helper()
	p, err := scanText(code)
	if err != nil {
		t.Fatal(err)
	}
	return p.Run(w)
}

func TestRun(t *testing.T) {
	tests := []struct {
		name, pickle, want string
		notes              string // joined by ;
	}{
		{"numbers", "(I-7\nL12L\nK\x05M\x01\x02J\xff\xff\xff\xffF1.5\nI01\nl.", "[-7 12 5 513 -1 1.5 true]", ""},
		{"long numbers", "(\x8a\x01\xff\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01\x8a\x00t.",
			"[-1 18446744073709551616 0]", ""},
		{"dict", "(S'a'\nK\x01S'b'\nK\x02S'a'\nK\x03d.", "{a 3 b 2}", ""},
		{"OrderedDict", "ccollections\nOrderedDict\n)R(U\x01aK\x01u.", "{a 1}", ""},
		{"OrderedDict of Python 2", "ccollections\nOrderedDict\n(((U\x01aK\x01lK\x09(U\x01bK\x02tltR(U\x01aK\x03u.",
			"{a 3 b 2}", ""},
		{"call", "cknown\nf\n(K\x01K\x02tR.", "call f(1 2)", "call f(1 2)"},
		{"call of what is no tuple", "cknown\nf\nK\x01R.", "call f()", "call f()"},
		{"call of a number", "K\x01)R.", "call 1()", "call 1()"},
		{"new object", "cknown\nC\nK\x01\x85\x81.", "call C(1)", "call C(1)"},
		{"with names", "cknown\nC\nK\x01\x85}\x92.", "call C(1)", "call C(1)"},
		{"OBJ", "(cknown\nC\nK\x01o.", "call C(1)", "call C(1)"},
		{"INST", "(K\x01iknown\nC\n.", "call C(1)", "call C(1)"},
		{"state", "cknown\nC\n)R}b.", "call C()", "call C();build call C() of {}"},
		{"persistent", "U\x01aU\x01b\x86Q.", "persistent [a b]", "persistent [a b]"},
		{"persistent that looks like a call", "cknown\nf\n)\x86Q.", "persistent [f []]", "persistent [f []]"},
		{"persistent of protocol 0", "Pabc\n.", "persistent abc", "persistent abc"},
		{"unknown class", "cos\nsystem\n.", "global os.system", ""},
		{"unknown call", "cos\nsystem\n(S'true'\ntR.", "object os.system", ""},
		{"call of an object", "cos\nsystem\n)R)R.", "object os.system", ""},
		{"things in an object", "cos\nsystem\n)R(K\x01e(K\x01K\x02u.", "object os.system", ""},
		{"class of a name that is none", "K\x01K\x02\x93.", "global of a name that is none", ""},
		{"class of an endless name", "U\x05knownX\x01\x08\x00\x00" + strings.Repeat("a", 2049) + "\x93.",
			"global of a name that is none", ""},
		{"class with an escape for a terminal", "cos\n\x1b[31m\n.", `global os.\x1b[31m`, ""},
		{"bytes", "(C\x01\xffB\x01\x00\x00\x00\xfe\x96\x01\x00\x00\x00\x00\x00\x00\x00\xfdt.",
			`["\xff" "\xfe" "\xfd"]`, ""},
		{"bytes of Python 3 in protocol 2",
			"c_codecs\nencode\nX\x04\x00\x00\x00\xc3\xbf\xc2\x80X\x06\x00\x00\x00latin1\x86R.", `"\xff\x80"`, ""},
		{"no bytes in protocol 2", "c__builtin__\nbytes\n)R.", `""`, ""},
		{"encoding that is none", "c_codecs\nencode\nX\x00\x00\x00\x00X\x03\x00\x00\x00hex\x86R.",
			"object _codecs.encode", ""},
		{"bytes of a number", "c__builtin__\nbytes\nK\x09\x85R.", "object builtins.bytes", ""},
		{"str of Python 2", `S'\x00\xff\'\\\n\101\8'` + "\n.", "\x00\xff'\\\nA\\8", ""},
		{"str in other quotes", `S"it's"` + "\n.", "it's", ""},
		{"text of protocol 0", `V\u0041\U0001F600\\u0041\n` + "\xe9\n.", `A😀\\u0041\né`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := new(noted)
			v, err := runText(t, test.pickle, w)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(v); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if got := strings.Join(w.notes, ";"); got != test.notes {
				t.Errorf("the world was asked %q, want %q", got, test.notes)
			}
		})
	}
}

// TestRunLong checks that texts and bytes that are stored separately are in the right places, and that one that is used
// twice is in memory once.
func TestRunLong(t *testing.T) {
	a, b := strings.Repeat("a", MaxText+1), strings.Repeat("b", 3*MaxText)
	v, err := runText(t, "("+inText(a)+"q\x00S'"+b+"'\nh\x00"+inBytes(b)+"t.", new(noted))
	if err != nil {
		t.Fatal(err)
	}
	items, _ := Sequence(v)
	var all [][]byte
	for _, item := range items {
		n, _ := Len(item)
		data, ok := Bytes(item, n)
		if !ok {
			t.Fatalf("no bytes in %T", item)
		}
		if _, ok := Bytes(item, n-1); ok {
			t.Error("bytes of another length")
		}
		if _, ok := Text(item); ok {
			t.Error("a long text is given as a string")
		}
		all = append(all, data)
	}
	if len(all) != 4 || string(all[0]) != a || string(all[1]) != b || string(all[2]) != a || string(all[3]) != b {
		t.Error("the texts are others, or elsewhere")
	}
	if &all[0][0] != &all[2][0] {
		t.Error("a text is in memory twice")
	}
	if got := Describe(items[0]); !strings.HasPrefix(got, `the text "aaa`) || len(got) > 250 {
		t.Errorf("described as %s", got)
	}
	if got := Describe(items[3]); got != "bytes" {
		t.Errorf("described as %s", got)
	}
}

func TestRunErrors(t *testing.T) {
	for _, code := range []string{".", "0.", "K\x01a.", "R.", "Q.", "(o.", "(Nd.", "(.", "\x80\x09N.", "Ix\n.", "gx\n.",
		"p-1\n.", "NK\x01s."} {
		v, err := runText(t, code, new(noted))
		if err == nil || err.Error() == "" || v != nil {
			t.Errorf("%q gives %v, %v", code, v, err)
		}
	}
}

// TestLatin1 checks that the characters of all byte values, encoded in UTF-8, are decoded to those bytes.
func TestLatin1(t *testing.T) {
	var text, want []byte
	for b := range 256 {
		text = utf8.AppendRune(text, rune(b))
		want = append(want, byte(b))
	}
	if got, ok := Bytes(&latin1{string(text)}, 256); !ok || !bytes.Equal(got, want) {
		t.Errorf("got %q, %t", got, ok)
	}
}

// TestBytes checks that Bytes returns the bytes of a value only if asked for exactly as many as it has.
func TestBytes(t *testing.T) {
	large := &long{data: []byte(strings.Repeat("\u00e9", MaxText))}
	for _, v := range []any{"ab", []byte("ab"), &long{data: []byte("ab")}, &latin1{"\u00e9\u00ff"}} {
		n, ok := Len(v)
		if !ok || n != 2 {
			t.Errorf("%v has %d bytes, %t", v, n, ok)
		}
		for k := range 4 {
			if b, ok := Bytes(v, k); ok != (k == 2) || ok && len(b) != 2 {
				t.Errorf("%v gives %q, %t as %d bytes", v, b, ok, k)
			}
		}
	}
	if s, ok := Text(&latin1{large}); !ok || s != strings.Repeat("\xe9", MaxText) {
		t.Errorf("the longest text in Latin-1 has %d bytes, %t", len(s), ok)
	}
	for _, v := range []any{nil, 1, &latin1{"\u0100"}, &latin1{"\xff"}, &latin1{"\xc3"}, &latin1{"\xc3a"},
		&latin1{"\xc1\x80"}, &Object{}} {
		if b, ok := Bytes(v, 1); ok {
			t.Errorf("%v gives %q", v, b)
		}
	}
}

// FuzzRun scans arbitrary bytes as a pickle and runs it.
func FuzzRun(f *testing.F) {
	for _, seed := range []string{
		"\x80\x02}q\x00(X\x01\x00\x00\x00aK\x01u.",
		"(dp0\nS'a\\x00'\np1\nVb\\u0041\np2\ns(lp3\nI1\naL2L\naF1.5\nas.",
		"c_codecs\nencode\nX\x02\x00\x00\x00\xc3\xbfX\x06\x00\x00\x00latin1\x86R.",
		"\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00\x8c\x05known\x8c\x01f\x93\x94)R}b.",
		"(K\x01iknown\nC\n(cknown\nC\nK\x01ot\x8f(N\x90(\x91.",
		"X\x01\x10\x00\x00" + strings.Repeat("a", MaxText+1) + "Q.",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := scanText(string(data))
		if err != nil {
			if e, ok := err.(*Error); !ok || e.Fault == Unread || e.Offset > int64(len(data)) {
				t.Fatalf("%v (%T)", err, err)
			}
			return
		}
		v, err := p.Run(inert{})
		if err == nil && Describe(v) == "" {
			t.Fatal("no description")
		}
		if n, ok := Len(v); ok {
			_, _ = Bytes(v, n)
		}
		_, _ = Entries(v)
	})
}

// An inert is a World that knows nothing and does nothing.
type inert struct{}

func (inert) Global(module, name string) any { return nil }
func (inert) Call(f any, args []any) any     { return nil }
func (inert) Build(object, state any)        {}
func (inert) Persistent(id any) any          { return nil }
