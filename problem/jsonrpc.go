package problem

// An RPCError is the error member of a JSON-RPC response.
type RPCError struct {
	Code    int64   `json:"code"`
	Message string  `json:"message"`
	Data    RPCData `json:"data"`
}

// RPCData is the data of an RPCError: the problem for programs.
type RPCData struct {
	Code Code   `json:"code"`
	Type string `json:"type"` // address that explains the code
}

// JSONRPC returns p as a JSON-RPC error. Its code is the HTTP status, which lies outside the numbers that JSON-RPC and
// MCP reserve; its type is base followed by the code of the table.
func (p *Problem) JSONRPC(base string) RPCError {
	return RPCError{
		Code: int64(p.Status()), Message: p.Title() + ". " + p.Sentence(),
		Data: RPCData{Code: p.Code, Type: base + string(p.Code)},
	}
}
