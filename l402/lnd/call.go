package lnd

import (
	"context"
	"encoding/json"

	"almanac/l402/node"
)

// call sends one request, with the macaroon, and returns the body of the 200 response.
func call(ctx context.Context, client *node.Client, method, path string, in any) ([]byte, *node.Error) {
	req := node.Request{Method: method, Path: path}
	if in != nil {
		var err error
		if req.Body, err = json.Marshal(in); err != nil {
			return nil, advice.Garbled(err)
		}
	}
	res, nodeErr := client.Do(ctx, req, judge)
	return res.Body, nodeErr
}
