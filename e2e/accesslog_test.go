package e2e

import (
	"net/http"
	"syscall"
	"testing"
)

// TestAccessLogIsWhole holds that the lines of the last requests are in the log when the service has ended.
func TestAccessLogIsWhole(t *testing.T) {
	p := startServe(t)
	if status, _ := p.get("/support.json"); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	p.signal(syscall.SIGTERM)
	p.wait()
	p.waitLog(`"msg":"request","method":"GET","path":"/support.json","status":200`)
}
