package httpmirror

// The media types of the mirror.
const (
	htmlType     = "text/html; charset=utf-8"
	jsonType     = "application/json"
	markdownType = "text/markdown; charset=utf-8" // RFC 7763 requires the charset
	textType     = "text/plain; charset=utf-8"
	xmlType      = "application/xml"
	atomType     = "application/atom+xml"
	jsonFeedType = "application/feed+json"
	jsonLDType   = "application/ld+json"
	schemaType   = "application/schema+json"
	aiCatalog    = "application/ai-catalog+json"
)
