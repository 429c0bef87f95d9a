package shapeserver

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/testvectors"
)

type object = map[string]any

// rpc is an MCP server of one tool, or an A2A agent.
func (s *Server) rpc(w http.ResponseWriter, r *http.Request) {
	shape := s.shapes[r.PathValue("id")]
	var q struct {
		ID     json.RawMessage
		Method string
		Params struct {
			ProtocolVersion string
			Meta            map[string]json.RawMessage `json:"_meta"`
			Message         struct{ Metadata map[string]json.RawMessage }
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || shape == nil || shape.Message == nil {
		http.NotFound(w, r)
		return
	}
	answer := func(result object) { writeJSON(w, 200, object{"jsonrpc": "2.0", "id": q.ID, "result": result}) }
	switch q.Method {
	case "initialize":
		answer(object{"protocolVersion": q.Params.ProtocolVersion, "serverInfo": object{"name": "shop", "version": "1"},
			"capabilities": object{"tools": object{}, "experimental": object{"payment": object{"methods": object{
				"lightning": object{"intents": []string{"charge"}}}}}}})
	case "tools/list":
		answer(object{"tools": []object{{"name": "get_article", "description": "returns an article; paid",
			"inputSchema": object{"type": "object", "properties": object{}}}}})
	case "tools/call", "message/send", "SendMessage":
		e := Event{Shape: shape.ID, Method: q.Method, Kind: "challenged"}
		err := s.checkMeta(shape, q.Params.Meta, &e)
		if payload, ok := q.Params.Message.Metadata["x402.payment.payload"]; ok {
			e.Body, e.Kind = string(payload), "refused"
			err = s.x402(shape, payload)
		}
		if s.note(e, err) {
			answer(object{"content": []object{{"type": "text", "text": "article " + shape.ID}}})
			return
		}
		var message object
		json.Unmarshal(shape.Message, &message)
		message["id"] = q.ID
		writeJSON(w, 200, message)
	default:
		if len(q.ID) == 0 {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		writeJSON(w, 200, object{"jsonrpc": "2.0", "id": q.ID, "error": object{"code": -32601, "message": "no such method"}})
	}
}

// checkMeta checks the payment in the _meta of a call, and notes it.
func (s *Server) checkMeta(shape *testvectors.Shape, meta map[string]json.RawMessage, e *Event) error {
	err := errors.New("no credential")
	for name, value := range meta {
		var text string
		switch name {
		case "org.paymentauth/credential":
			text = base64.RawURLEncoding.EncodeToString(value)
			err = s.payment(shape, text)
		case "x402/payment", "x402.payment":
			payload := value
			if json.Unmarshal(value, &text) == nil { // as over HTTP
				payload, _ = challenge.DecodeLoose(text)
			}
			err = s.x402(shape, payload)
		case "almanac/l402":
			json.Unmarshal(value, &text)
			err = s.check(shape, "Authorization", "L402 "+text)
		default:
			continue
		}
		e.Headers, e.Kind = append(e.Headers, [2]string{name, string(value)}), "refused"
	}
	return err
}
