package lnd

import "go.almanac.example/l402/node"

// What the tests call by these names.
type (
	Node  = node.Node
	Error = node.Error
)

// The reasons that all nodes have.
const (
	ReasonUnreachable  = node.ReasonUnreachable
	ReasonTimeout      = node.ReasonTimeout
	ReasonBusy         = node.ReasonBusy
	ReasonCanceled     = node.ReasonCanceled
	ReasonTLS          = node.ReasonTLS
	ReasonNotNode      = node.ReasonNotNode
	ReasonStarting     = node.ReasonStarting
	ReasonCredentials  = node.ReasonCredentials
	ReasonRefused      = node.ReasonRefused
	ReasonGarbled      = node.ReasonGarbled
	ReasonWrongInvoice = node.ReasonWrongInvoice
)
