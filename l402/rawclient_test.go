package l402_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
)

// A rawClient is one connection that writes requests and reads answers with as little work as possible, so that a
// benchmark on a small machine measures the server.
type rawClient struct {
	net.Conn
	r   *bufio.Reader
	buf []byte
}

func dialRaw(address string) (*rawClient, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &rawClient{Conn: conn, r: bufio.NewReaderSize(conn, 8<<10)}, nil
}

// get asks for q with one header line more, and reads the whole answer. It returns the status, or 0 when the connection
// broke.
func (c *rawClient) get(path, q, header string) int {
	c.buf = fmt.Appendf(c.buf[:0], "GET %s?q=%s HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", path, q, header)
	if _, err := c.Write(c.buf); err != nil {
		return 0
	}
	line, err := c.r.ReadSlice('\n')
	if err != nil || len(line) < 12 {
		return 0
	}
	status, _ := strconv.Atoi(string(line[9:12]))
	length := 0
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return 0
		}
		if len(line) <= 2 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
		}
	}
	if _, err := io.CopyN(io.Discard, c.r, int64(length)); err != nil {
		return 0
	}
	return status
}
