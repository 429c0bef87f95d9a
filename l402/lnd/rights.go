package lnd

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
	"gopkg.in/macaroon.v2"
)

// addInvoiceRight is the only right that the node's macaroon needs.
const addInvoiceRight = "uri:/lnrpc.Lightning/AddInvoice"

// rights lists what a macaroon of lnd permits, each as lncli bakemacaroon takes it. They stand in its identifier: the byte 3, then
// the message MacaroonId of gopkg.in/macaroon-bakery.v2/bakery/internal/macaroonpb/id.proto.
func rights(raw []byte) ([]string, error) {
	var m macaroon.Macaroon
	if err := m.UnmarshalBinary(raw); err != nil {
		return nil, err
	}
	id := m.Id()
	if len(id) == 0 || id[0] != 3 {
		return nil, errors.New("macaroon's identifier is not of version 3")
	}
	var list []string
	err := eachField(id[1:], func(num protowire.Number, op []byte) error {
		if num != 3 {
			return nil
		}
		var entity string
		return eachField(op, func(num protowire.Number, b []byte) error {
			switch num {
			case 1:
				entity = string(b)
			case 2:
				list = append(list, entity+":"+string(b))
			}
			return nil
		})
	})
	return list, err
}

// eachField calls f for the fields of a message whose fields are all strings, bytes or messages.
func eachField(b []byte, f func(protowire.Number, []byte) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 || typ != protowire.BytesType {
			return errors.New("macaroon's identifier is not a message")
		}
		value, m := protowire.ConsumeBytes(b[n:])
		if m < 0 {
			return errors.New("macaroon's identifier ends early")
		}
		if err := f(num, value); err != nil {
			return err
		}
		b = b[n+m:]
	}
	return nil
}

// warnOfRights tells the operator when the macaroon permits more than it should.
func (n *Node) warnOfRights(raw []byte) {
	list, err := rights(raw)
	switch {
	case err != nil:
		n.log.Warn("cannot read what the Lightning node's macaroon permits", "error", err)
	case len(list) != 1 || list[0] != addInvoiceRight:
		n.log.Warn("the Lightning node's macaroon permits more than it needs; bake one for "+addInvoiceRight+" alone", "permits", list)
	}
}
