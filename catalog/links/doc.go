// Package links checks the addresses that records cite: it requests each, and records what it answered.
//
// A status is recorded as it was served and never guessed: a link that did not answer has none. The checker is a guest on
// other people's servers. It names itself, obeys robots.txt (RFC 9309) and Retry-After, makes one request at a time to a
// host with a pause in between, and reads no page that it does not need. It never connects to an address that is not public
// unless it was told to, however the name of the host or a redirect leads there.
//
// It reads from the bottom up: what was observed and what can fail; one request, then a link with its redirects and attempts;
// then a round over many hosts, and the round over the library, which writes the curated files.
package links
