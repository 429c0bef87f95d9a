package nip47

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// An Error is one that the wallet answered.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (f *Error) Error() string {
	return strings.TrimSuffix("the wallet says "+f.Code+": "+f.Message, ": ")
}

// ErrGarbled means that the wallet's answer cannot be understood.
var ErrGarbled = errors.New("the wallet's answer cannot be understood")

// Call sends a request over every relay and decodes the result of the first answer into result. An error of the wallet
// is an [*Error].
func (c *Connection) Call(ctx context.Context, method string, params, result any) error {
	ciph, err := c.agree(ctx)
	if err != nil {
		return err
	}
	request, err := c.request(method, params, ciph)
	if err != nil {
		return fmt.Errorf("ask the wallet: %w", err)
	}
	text, err := c.exchange(ctx, request, ciph)
	if err != nil {
		return fmt.Errorf("ask the wallet by %s: %w", method, err)
	}
	var answer struct {
		Type   string          `json:"result_type"`
		Error  *Error          `json:"error"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return fmt.Errorf("%w: read the answer to %s: %w", ErrGarbled, method, err)
	}
	if answer.Error != nil && answer.Error.Code != "" {
		if answer.Error.Code == "UNSUPPORTED_ENCRYPTION" {
			c.wallet.forget()
		}
		return answer.Error
	}
	if answer.Type != "" && answer.Type != method {
		return fmt.Errorf("%w: it answers %s with a result of %.40q", ErrGarbled, method, answer.Type)
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return fmt.Errorf("%w: read the answer to %s: %w", ErrGarbled, method, err)
	}
	return nil
}

// request returns the signed event that asks the wallet for something.
func (c *Connection) request(method string, params any, ciph textCipher) (*event, error) {
	body, err := json.Marshal(map[string]any{"method": method, "params": params})
	if err != nil {
		return nil, err
	}
	content, err := ciph.encrypt(string(body))
	if err != nil {
		return nil, err
	}
	tags := [][]string{{"p", c.wallet.public}}
	if name := ciph.name(); name != nip04Name {
		tags = append(tags, []string{"encryption", name})
	}
	return newEvent(kindRequest, content, tags, c.secret)
}
