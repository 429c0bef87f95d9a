package phoenixd

import (
	"bytes"
	"fmt"
	"net/http"

	"almanac/l402/node"
)

// advice is for the operator when a call has no usable response.
var advice = node.Advice{
	Name:       "the certificate in front of it does not cover the host of -phoenixd-url; use a host that it covers",
	Expired:    "the certificate in front of it is not valid today; renew it, and check both clocks",
	Cert:       "this system does not trust the certificate in front of it; use one that it trusts, or http:// within this machine",
	NoTLS:      "what answers at -phoenixd-url does not speak TLS; phoenixd itself does not, so use http:// within this machine",
	NotNode:    "what answers at -phoenixd-url is not phoenixd; use the address of http-bind-ip and http-bind-port (port 9740 by default)",
	NoAddress:  "the host of -phoenixd-url has no address; correct it",
	NoAnswer:   "nothing answers at -phoenixd-url; start phoenixd, or correct the address",
	Broke:      "the connection broke before the response; phoenixd is stopping, or -phoenixd-url is the address of something else",
	Unreadable: "its response cannot be understood; is -phoenixd-url a phoenixd of version 0.6 or later?",
}

// judge classifies responses of phoenixd. Its errors are plain text; HTML is from something else, such as a proxy in
// front.
func judge(res node.Response) *node.Error {
	if res.Status == http.StatusOK {
		return nil
	}
	cause := fmt.Errorf("status %d: %.200q", res.Status, res.Body)
	switch {
	case res.Status == http.StatusUnauthorized, res.Status == http.StatusForbidden:
		return &node.Error{Reason: node.ReasonCredentials, Cause: cause,
			Advice: "it does not accept our password; write that of http-password-limited-access in phoenix.conf into the file of -phoenixd-password"}
	case res.Status == http.StatusBadGateway, res.Status == http.StatusServiceUnavailable, res.Status == http.StatusGatewayTimeout:
		return &node.Error{Reason: node.ReasonStarting, Cause: cause, Advice: "what is in front of it says that it is away; start phoenixd, or wait"}
	case bytes.HasPrefix(bytes.TrimSpace(res.Body), []byte("<")), res.Status < 400:
		return advice.Foreign(fmt.Errorf("status %d", res.Status))
	}
	return &node.Error{Reason: node.ReasonRefused, Cause: cause, Advice: "it refuses the call; see its log"}
}
