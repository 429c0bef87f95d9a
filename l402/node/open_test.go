package node_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.almanac.example/l402/node"
)

// TestServiceOnTheInternet: a service on the Internet leads to no address of this machine or a private network, by a
// redirect, by an answer, or by a name that resolves there. One of a private network may.
func TestServiceOnTheInternet(t *testing.T) {
	asked := 0
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer inner.Close()
	port := inner.URL[strings.LastIndex(inner.URL, ":"):]
	kind := &node.Kind{Judge: func(node.Response) *node.Error { return nil }}
	for _, host := range []string{"127.0.0.1", "0.0.0.0", "localhost", "[::ffff:127.0.0.1]"} {
		c := kind.Open(nil)
		if _, err := c.Fetch(t.Context(), http.MethodGet, "http://"+host+port, nil, false); err != nil {
			t.Errorf("%s of a private network: %v", host, err)
		}
		c = kind.Open(nil)
		if err := c.BePublic(); err != nil {
			t.Fatal(err)
		}
		before := asked
		if _, err := c.Fetch(t.Context(), http.MethodGet, "http://"+host+port, nil, false); err == nil || !strings.Contains(err.Error(), "not on the Internet") || asked != before {
			t.Errorf("%s of the Internet: %v", host, err)
		}
	}
	for host, private := range map[string]bool{
		"127.0.0.1": true, "::1": true, "10.1.2.3": true, "192.168.0.1": true, "fd00::1": true, "169.254.169.254": true, "fe80::1": true,
		"0.0.0.0": true, "::": true, "::ffff:127.0.0.1": true, "bitcoind": true, "localhost": true,
		"192.0.2.1": false, "2001:db8::1": false, "seller.example": false,
	} {
		if node.IsPrivate(host) != private {
			t.Errorf("%s counts as private: %v", host, !private)
		}
	}
}
