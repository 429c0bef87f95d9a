//go:build race

package httpmirror

import "time"

// The race detector makes the manifest take longer than a request waits.
func init() { manifestTimeout = time.Hour }
