package mcpserver

import (
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// metaCache remembers the _meta objects that were found valid: a client sends the same one with
// each request.
type metaCache struct {
	mu   sync.RWMutex
	seen [3]map[string]struct{} // by era
}

const (
	maxMetas    = 1_024
	maxMetaSize = 2 << 10
)

func (c *metaCache) valid(raw []byte, e era) bool {
	if len(raw) > maxMetaSize {
		return false
	}
	c.mu.RLock()
	_, ok := c.seen[e][string(raw)]
	c.mu.RUnlock()
	if ok {
		return true
	}
	if checkMembers(raw) != nil {
		return false
	}
	if e == legacyOnly && !validLegacyMeta(raw) || e == modernOnly && !validModernMeta(raw) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[e] == nil || len(c.seen[e]) >= maxMetas {
		c.seen[e] = make(map[string]struct{})
	}
	c.seen[e][string(raw)] = struct{}{}
	return true
}

// validLegacyMeta reports whether a _meta has nothing of the newer era.
func validLegacyMeta(raw []byte) bool {
	return member(raw, mcp.MetaKeyProtocolVersion) == nil
}

// logLevelKey asks for log messages, a deprecated feature.
const logLevelKey = "io.modelcontextprotocol/logLevel"

// validModernMeta reports whether a _meta has what the newer era requires, and nothing rare.
func validModernMeta(raw []byte) bool {
	var version string
	var capabilities, client []byte
	ok := eachMember(raw, func(name, value []byte) bool {
		switch string(name) {
		case mcp.MetaKeyProtocolVersion:
			version = string(value)
		case mcp.MetaKeyClientCapabilities:
			capabilities = value
		case mcp.MetaKeyClientInfo:
			client = value
		case logLevelKey:
			return false
		}
		return true
	})
	if !ok || version != strconv.Quote(modernVersion) || !isObject(capabilities) {
		return false
	}
	if exactJSON(capabilities, new(mcp.ClientCapabilities)) != nil {
		return false
	}
	return client == nil || isObject(client) && exactJSON(client, new(mcp.Implementation)) == nil
}
