package table

import (
	"fmt"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// benchmarkRows is the number of rows of the data set letter.
const benchmarkRows = 20_000

// benchmarkText returns a header and then benchmarkRows rows of 16 numbers and a class.
func benchmarkText(header string) string {
	var b strings.Builder
	b.WriteString(header)
	for i := range benchmarkRows {
		for j := range 16 {
			fmt.Fprintf(&b, "%d.%d,", (i*j)%16, i%10)
		}
		fmt.Fprintf(&b, "%c\n", 'A'+i%26)
	}
	return b.String()
}

func benchmarkRead(b *testing.B, text string, read func() (*Table, error)) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if t, err := read(); err != nil || t.Rows != benchmarkRows {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadARFF(b *testing.B) {
	var header strings.Builder
	for j := range 16 {
		fmt.Fprintf(&header, "@attribute x%d real\n", j)
	}
	header.WriteString("@attribute class {A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q,R,S,T,U,V,W,X,Y,Z}\n@data\n")
	text := benchmarkText(header.String())
	benchmarkRead(b, text, func() (*Table, error) { return ReadARFF("x", strings.NewReader(text)) })
}

func BenchmarkReadCSV(b *testing.B) {
	text := benchmarkText("a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,class\n")
	benchmarkRead(b, text, func() (*Table, error) { return ReadCSV("x", strings.NewReader(text)) })
}

func BenchmarkReadParquet(b *testing.B) {
	text := parquetOf(b, rowsOf(benchmarkRows), parquet.Compression(&parquet.Snappy))
	benchmarkRead(b, text, func() (*Table, error) { return ReadParquet("x", strings.NewReader(text)) })
}

func BenchmarkQuantile(b *testing.B) {
	x := wave(benchmarkRows, 16)
	for b.Loop() {
		q := Quantile{Normal: true}
		if err := q.Fit(x, nil); err != nil {
			b.Fatal(err)
		}
		q.Apply(x)
	}
}
