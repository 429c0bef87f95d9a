package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/internal/accept"
	"go.almanac.example/internal/peer"
	"go.almanac.example/internal/rpc"
	"go.almanac.example/internal/wirejson"
	"go.almanac.example/tools"
)

// turnKey passes the *turn of a request to the handlers.
type turnKey struct{}

// callerOf returns who calls. A credential is in _meta, or is an argument, which the tool reads
// itself, or is in the Authorization header; the first of these counts.
func callerOf(ctx context.Context, r mcp.Request) tools.Caller {
	from := tools.Caller{Source: peer.FromContext(ctx)}
	if call, ok := r.(*mcp.CallToolRequest); ok {
		from.Credential, _ = call.Params.Meta[tools.Prefix+"l402"].(string)
		from.Key, _ = call.Params.Meta[tools.Prefix+"idempotency-key"].(string)
		if payment, ok := call.Params.Meta[tools.CredentialMeta].(map[string]any); ok {
			from.ChallengeErrors = true
			if from.Credential == "" {
				from.Credential = string(wirejson.Must(json.Marshal(payment)))
			}
		}
	}
	if extra := r.GetExtra(); extra != nil {
		// Other schemes are for a gateway in front of this server.
		value := extra.Header.Get("Authorization")
		scheme, _, _ := strings.Cut(value, " ")
		if strings.EqualFold(scheme, "L402") || strings.EqualFold(scheme, "LSAT") || strings.EqualFold(scheme, "Payment") {
			from.Authorization = value
		}
		if accept.Weight(extra.Header["Accept-Payment"], "lightning/charge") > 0 {
			from.ChallengeErrors = true
		}
		if extra.Header.Get(rpc.VersionHeader) >= rpc.ModernVersion { // which has another use for the numbers of these errors
			from.ChallengeErrors = false
		}
	}
	return from
}

// A Call is the outcome of one request, for metrics and logs, without text of the client's.
type Call struct {
	Method string // of JSON-RPC; "" when the request was refused before it was read
	Tool   string // if one was called
	Status int    // of HTTP; 0 when the connection was broken off, or a stream followed
	Failed bool   // the answer is an error of JSON-RPC or a failed tool call, which the client must correct
}

// Outcome returns ok, failed, refused or error.
func (c Call) Outcome() string {
	switch {
	case c.Status >= http.StatusInternalServerError:
		return "error"
	case c.Status >= http.StatusBadRequest:
		return "refused"
	case c.Failed:
		return "failed"
	}
	return "ok"
}
