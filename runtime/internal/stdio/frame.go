package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// jsonSpace is what JSON takes for white space.
const jsonSpace = " \t\r\n"

// frameReader splits a stream into lines, and holds no more of a line than its limit.
type frameReader struct {
	in    *bufio.Reader
	limit int
}

// frame is a line without its end. Only its beginning is there if it was longer than the limit.
type frame struct {
	text  []byte
	limit int
	cut   bool
}

func newFrameReader(r io.Reader, limit int) *frameReader {
	return &frameReader{in: bufio.NewReader(r), limit: limit}
}

// next returns the next line that is not blank. Text before the end of the stream is a line too.
func (r *frameReader) next() (frame, error) {
	for {
		f, err := r.read()
		if blank := len(bytes.Trim(f.text, jsonSpace)) == 0; !blank || f.cut {
			return f, nil
		}
		if err != nil {
			return frame{}, err
		}
	}
}

// read returns a line, and an error if the stream ended with it.
func (r *frameReader) read() (frame, error) {
	f := frame{limit: r.limit}
	for {
		part, err := r.in.ReadSlice('\n')
		part = bytes.TrimSuffix(part, []byte{'\n'})
		if room := r.limit - len(f.text); len(part) > room {
			part, f.cut = part[:room], true
		}
		f.text = append(f.text, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return f, err
		}
	}
}
