package problem

import (
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestGRPCStatus(t *testing.T) {
	for _, d := range Table("") {
		s := status.Convert(GRPCStatus(&Problem{Code: d.Code, Err: errors.New("secret")}))
		if s.Message() != string(d.Code)+": "+d.Remedy {
			t.Errorf("%s: message %q", d.Code, s.Message())
		}
		if s.Code() == codes.OK || s.Code() == codes.Unknown || s.Code() == codes.Internal && d.Code != Internal {
			t.Errorf("%s: gRPC code %s", d.Code, s.Code())
		}
		var reason string
		var wait time.Duration
		for _, detail := range s.Details() {
			switch detail := detail.(type) {
			case *errdetails.ErrorInfo:
				reason = detail.Domain + "/" + detail.Reason
			case *errdetails.RetryInfo:
				wait = detail.RetryDelay.AsDuration()
			}
		}
		if reason != "almanac/"+strings.ToUpper(string(d.Code)) || wait != d.RetryAfter {
			t.Errorf("%s: reason %s, wait %v", d.Code, reason, wait)
		}
	}
	for code, want := range map[Code]codes.Code{
		QueryInvalid: codes.InvalidArgument, Timeout: codes.DeadlineExceeded, Overloaded: codes.Unavailable,
		RateLimited: codes.ResourceExhausted, LedgerUnavailable: codes.Unavailable, Internal: codes.Internal,
	} {
		if got := status.Code(GRPCStatus(New(code))); got != want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
	}
	if s := status.Convert(GRPCStatus(errors.New("secret"))); s.Code() != codes.Internal || strings.Contains(s.Message(), "secret") {
		t.Errorf("a foreign error: %v", s)
	}
	if err := GRPCStatus(nil); err != nil {
		t.Errorf("no error: %v", err)
	}
}

func TestJSONRPC(t *testing.T) {
	got := Errorf(BodyTooLarge, "Send at most 1 MiB.").JSONRPC(testBase)
	want := RPCError{Code: 413, Message: "Request too large. Send at most 1 MiB.", Data: RPCData{BodyTooLarge, testBase + "body_too_large"}}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, d := range Table(testBase) {
		got := New(d.Code).JSONRPC(testBase)
		if want := (RPCError{int64(d.Status), d.Title + ". " + d.Remedy, RPCData{d.Code, d.URL}}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		if got.Code <= -32000 {
			t.Errorf("%s: %d is reserved by JSON-RPC", d.Code, got.Code)
		}
	}
}
