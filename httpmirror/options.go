package httpmirror

import (
	"log/slog"

	"almanac/httpmirror/file"
	"almanac/httpmirror/metadata"
)

// Options are what the files depend on besides the catalog.
type Options struct {
	Version string       // of the program, as the OpenAPI document has it; "" means "dev"
	Contact string       // URI for security reports (RFC 9116); "" publishes no security.txt
	Log     *slog.Logger // nil discards
	// Cache is where files are kept that were asked for. A site that replaces another has the same. nil means a cache of its own, of a
	// part of the memory limit.
	Cache *file.Cache
}

// complete returns the options with the defaults filled in, and reports what cannot be published.
func (o Options) complete() (Options, error) {
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, metadata.CheckContact(o.Contact)
}
