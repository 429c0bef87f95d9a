package buyer

import (
	"strings"
	"testing"
)

// TestPrivateRedirect: an address of a private network is asked when it comes first, or when that is allowed, and not
// after one on the Internet.
func TestPrivateRedirect(t *testing.T) {
	private := []string{"127.0.0.1:80", "10.0.0.1:80", "100.100.100.200:80", "169.254.169.254:80", "[::ffff:127.0.0.1]:80", "[64:ff9b::a00:1]:80"}
	for _, allowed := range []bool{false, true} {
		dial := (&Get{Private: allowed}).guard()
		for _, address := range append(private, "9.9.9.9:443") {
			if err := dial("tcp", address, nil); err != nil {
				t.Errorf("%s, before any on the Internet: %v", address, err)
			}
		}
		for _, address := range private {
			if err := dial("tcp", address, nil); allowed != (err == nil) || err != nil && !strings.Contains(err.Error(), "-allow-private follows it") {
				t.Errorf("%s, after one on the Internet, allowed %t: %v", address, allowed, err)
			}
		}
	}
}
