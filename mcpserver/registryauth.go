package mcpserver

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
)

// RegistryAuthPath is where the MCP registry looks for the public key of a domain (registry, "HTTP Authentication").
const RegistryAuthPath = "/.well-known/mcp-registry-auth"

// A proof record as the registry reads it: version, algorithm and public key.
var proofRecord = regexp.MustCompile(`^v=MCPv1; *k=([a-z0-9]+); *p=([A-Za-z0-9+/]+={0,2})$`)

// keySizes are the algorithms of the registry with the sizes of their public keys in bytes.
var keySizes = map[string]int{"ed25519": 32, "ecdsap384": 49} // the second is a compressed point

// checkRegistryAuth reports what is wrong with a proof record. "" is none.
func checkRegistryAuth(record string) error {
	if record == "" {
		return nil
	}
	parts := proofRecord.FindStringSubmatch(record)
	if parts == nil {
		return fmt.Errorf("%.80q is not a proof record of the MCP registry: it must have the form v=MCPv1; k=ed25519; p=<public key in base64>", record)
	}
	size, ok := keySizes[parts[1]]
	if !ok {
		return fmt.Errorf("the MCP registry knows no algorithm %q; use ed25519 or ecdsap384", parts[1])
	}
	if key, err := base64.StdEncoding.DecodeString(parts[2]); err != nil || len(key) != size {
		return fmt.Errorf("the key of the proof record must be %d bytes in base64 for %s", size, parts[1])
	}
	return nil
}

// serveRegistryAuth returns a handler that serves a proof record, or nil when there is none.
func serveRegistryAuth(record string) http.Handler {
	if record == "" {
		return nil
	}
	body := []byte(record + "\n")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("Content-Length", strconv.Itoa(len(body)))
		h.Set("Cache-Control", "public, max-age=300") // a key may be replaced
		h.Set("X-Content-Type-Options", "nosniff")
		if r.Method != http.MethodHead {
			w.Write(body)
		}
	})
}
