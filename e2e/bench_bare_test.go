package e2e

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
)

// bareOf makes the process of a benchmark a bare handler: it holds the address of the server whose answers are copied,
// and those paths.
const bareOf = "ALMANAC_BENCH_BARE"

// A bareAnswer is what a bare handler writes.
type bareAnswer struct {
	header http.Header
	body   []byte
}

// serveBare serves the answers of another server, headers and body, with net/http and nothing else: the least that a
// handler can do to write these bytes.
func serveBare(copied string) {
	debug.SetGCPercent(1000) // a heap of 40 MB, as that of the whole program: if it were small, it would be collected all the time
	fields := strings.Fields(copied)
	answers := make(map[string]bareAnswer)
	for _, path := range fields[1:] {
		for _, coding := range []string{"", "gzip"} {
			answers[coding+path] = copyAnswer(fields[0]+path, coding)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening %s\n", l.Addr())
	go func() {
		io.Copy(io.Discard, os.Stdin) // ends with the process that started this one
		os.Exit(0)
	}()
	srv := &http.Server{Protocols: new(http.Protocols), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := answers[r.Header.Get("Accept-Encoding")+r.URL.Path]
		maps.Copy(w.Header(), a.header)
		w.Write(a.body)
	})}
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetUnencryptedHTTP2(true)
	log.Fatal(srv.Serve(l))
}

func copyAnswer(url, coding string) bareAnswer {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		log.Fatal(err)
	}
	if coding != "" {
		req.Header.Set("Accept-Encoding", coding)
	}
	res, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || res.Header.Get("Content-Length") == "" || res.Header.Get("Content-Encoding") != coding {
		log.Fatalf("%s: status %d, %v, %v", url, res.StatusCode, res.Header, err)
	}
	res.Header.Del("Date")
	return bareAnswer{res.Header, body}
}

// startBare starts a bare handler with the answers of the server at base.
func startBare(b *testing.B, base string, paths ...string) contestant {
	b.Helper()
	cmd := exec.Command(os.Args[0]) // TestMain plays it
	cmd.Env = append(os.Environ(), bareOf+"="+base+" "+strings.Join(paths, " "))
	if _, err := cmd.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return contestant{name: "bare", addr: strings.TrimSpace(strings.TrimPrefix(line, "listening ")), pid: cmd.Process.Pid}
}
