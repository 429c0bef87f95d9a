package lnd

import "strings"

// A NodeError is an error of lnd. Most have code 2 (unknown), so the message decides.
type NodeError struct {
	Code    int    `json:"code"` // of gRPC
	Message string `json:"message"`
}

// Error implements error.
func (f *NodeError) Error() string { return "the node says: " + f.Message }

func (f *NodeError) says(texts ...string) bool {
	for _, t := range texts {
		if strings.Contains(f.Message, t) {
			return true
		}
	}
	return false
}

// known reports whether the node has a payment of this hash already (channeldb.ErrPaymentInFlight, ErrAlreadyPaid,
// ErrPaymentExists).
func (f *NodeError) known() bool {
	return f.Code == 6 || f.says("payment is in transition", "invoice is already paid", "already exists")
}

// unknown reports whether the node has no payment of this hash (channeldb.ErrPaymentNotInitiated).
func (f *NodeError) unknown() bool {
	return f.Code == 5 || f.says("payment isn't initiated")
}

// refused reports whether the node refused the order before it did anything about it.
func (f *NodeError) refused() bool {
	return f.Code == 3 || f.says("invoice expired", "permission denied", "verification failed", "self-payments not allowed",
		"expected 1 macaroon", "invalid payment request", "invoice not for current active network", "checksum failed", "cannot get macaroon", "cannot determine data format of binary-encoded macaroon", "unknown caveat", "caveat")
}
