package tools

import (
	"context"
	"errors"
	"fmt"

	"almanac/problem"
)

func checkCredits(paid *Paid) *tool {
	return &tool{
		signature: signature{name: "check_credits", params: []param{credentialParam("As for search_passages.")}},
		title:     "Check credits",
		about: "Returns how many paid searches a credential has left, and until when. Free. " +
			"Use it before search_passages. " +
			`Example: {"l402":"<macaroon>:<preimage hex>"}.`,
		output: object(prop("credits", object(prop("left", integerSchema), prop("valid_until", textSchema)))),
		waits:  true,
		run: func(ctx context.Context, in arguments, from Caller) (*Answer, error) {
			return paid.check(ctx, credentialOf(in, from))
		},
	}
}

func (p *Paid) check(ctx context.Context, credential string) (*Answer, error) {
	if credential == "" {
		return nil, inputError(fmt.Sprintf("check_credits needs a credential, as the argument l402 or in _meta[%q]. Example: {\"l402\":\"<macaroon>:<preimage hex>\"}", Prefix+"l402"))
	}
	balance, err := p.Balance(ctx, credential)
	var refused *problem.Problem
	switch {
	case errors.As(err, &refused) && correctable[refused.Code]:
		return nil, correctCredential(refused)
	case errors.As(err, &refused) && refused.Code != problem.Internal:
		return nil, inputError(problemText(refused))
	case err != nil:
		return nil, err
	}
	a := account{Balance: balance}
	out := newAnswer(a.String(), []byte("{"+a.json()+"}"))
	out.meta = a.receipt()
	return out, nil
}
