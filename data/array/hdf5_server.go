//go:build hdf5

package array

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"runtime"

	"github.com/ansatz-lab/ansatz/internal/isolate"
	"gonum.org/v1/hdf5"
)

// hdf5Part names the part of the program that calls the C library in a separate process.
const hdf5Part = "hdf5"

func init() { isolate.Serve(hdf5Part, serveHDF5) }

// hdf5Request is a line of JSON. The first request opens a file; each further one asks for an array's type
// and shape or, with Rows, for its rows From to To-1.
type hdf5Request struct {
	Open     string `json:",omitempty"`
	Array    string `json:",omitempty"`
	Rows     bool   `json:",omitempty"`
	From, To int
}

// hdf5Answer is a line of JSON. The bytes of the rows follow it.
type hdf5Answer struct {
	Type  Type
	Shape []int
	Fault *hdf5Fault
}

// hdf5Fault has the fields of a FormatError about the file.
type hdf5Fault struct{ Want, Got, Hint, Cause string }

// longestAnswer bounds the line of an answer, in bytes.
const longestAnswer = 64 << 10

// describe says what was requested, to follow "expected".
func (r hdf5Request) describe() string {
	switch {
	case r.Rows:
		return fmt.Sprintf("the rows %d to %d of %q", r.From, r.To, r.Array)
	case r.Open != "":
		return "a file that the HDF5 library opens"
	}
	return fmt.Sprintf("an array %q", r.Array)
}

// serveHDF5 answers requests until the end of in.
func serveHDF5(in io.Reader, out io.Writer) error {
	// Stop the library from printing its errors; in some builds each thread has its own setting.
	runtime.LockOSThread()
	if err := hdf5.DisplayErrors(false); err != nil {
		return err
	}
	s := &hdf5Server{sets: map[string]*hdf5Set{}}
	requests, answers := json.NewDecoder(in), bufio.NewWriter(out)
	for {
		var r hdf5Request
		if err := requests.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		answer, rows := s.answer(r)
		line, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		// A bufio.Writer keeps its first error until Flush.
		answers.Write(append(line, '\n'))
		answers.Write(rows)
		if err := answers.Flush(); err != nil {
			return err
		}
	}
}

// hdf5Server is an open file in the process of the C library.
type hdf5Server struct {
	file *hdf5.File
	sets map[string]*hdf5Set
}

// hdf5Set is an open array.
type hdf5Set struct {
	*Slab
	set *hdf5.Dataset
	big bool // big-endian
}

// answer answers a request. It also returns the bytes of the rows if the request asks for them.
func (s *hdf5Server) answer(r hdf5Request) (hdf5Answer, []byte) {
	if r.Open != "" {
		var err error
		if s.file, err = hdf5.OpenFile(r.Open, hdf5.F_ACC_RDONLY); err != nil {
			return hdf5Answer{Fault: &hdf5Fault{r.describe(), "another",
				damaged + "; on a file system without locks, set HDF5_USE_FILE_LOCKING=FALSE", err.Error()}}, nil
		}
		return hdf5Answer{}, nil
	}
	a, fault := s.array(r.Array)
	if fault != nil || !r.Rows {
		answer := hdf5Answer{Fault: fault}
		if fault == nil {
			answer.Type, answer.Shape = a.Type, a.Shape
		}
		return answer, nil
	}
	rows := make([]byte, (r.To-r.From)*a.RowBytes())
	if err := a.read(r.From, r.To, rows); err != nil {
		return hdf5Answer{Fault: hdf5Failed(r.describe(), "an error of the HDF5 library", err)}, nil
	}
	return hdf5Answer{}, rows
}

// hdf5Failed returns the fault for an error of the C library, which does not give a byte of the file.
func hdf5Failed(want, got string, err error) *hdf5Fault {
	f := &hdf5Fault{Want: want, Got: got, Hint: "the file is damaged or a different one: fetch it again"}
	if err != nil {
		f.Cause = err.Error()
	}
	return f
}

// array returns the array of that name, and keeps it open.
func (s *hdf5Server) array(name string) (*hdf5Set, *hdf5Fault) {
	if a := s.sets[name]; a != nil {
		return a, nil
	}
	set, err := openSet(s.file, name)
	if err != nil {
		return nil, hdf5Failed(fmt.Sprintf("an array %q", name), "none that the HDF5 library opens", err)
	}
	a, fault := describeSet(name, set)
	if fault != nil {
		set.Close()
		return nil, fault
	}
	s.sets[name] = a
	return a, nil
}
