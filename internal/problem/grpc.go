package problem

import (
	"cmp"
	"net/http"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"
)

// GRPCStatus returns err as an error with a gRPC status. Its message is the code and the sentence; its details are an
// ErrorInfo and, when there is something to wait for, a RetryInfo. A nil error stays nil.
func GRPCStatus(err error) error {
	if err == nil {
		return nil
	}
	p := FromError(err)
	s := status.New(p.grpcCode(), string(p.Code)+": "+p.Sentence())
	details := []protoadapt.MessageV1{ErrorInfo(p.Code)}
	if wait := p.Wait(); wait > 0 {
		details = append(details, &errdetails.RetryInfo{RetryDelay: durationpb.New(wait)})
	}
	if with, err := s.WithDetails(details...); err == nil {
		s = with
	}
	return s.Err()
}

// ErrorInfo returns a code as a detail of a gRPC status.
func ErrorInfo(code Code) *errdetails.ErrorInfo {
	return &errdetails.ErrorInfo{Reason: strings.ToUpper(string(code)), Domain: "almanac"}
}

// grpcCode returns the gRPC code for p, as google.rpc.Code maps the statuses of HTTP.
func (p *Problem) grpcCode() codes.Code {
	if p.Code == Timeout {
		return codes.DeadlineExceeded
	}
	return cmp.Or(grpcCodes[p.Status()], codes.Internal)
}

var grpcCodes = map[int]codes.Code{
	http.StatusBadRequest:                   codes.InvalidArgument,
	http.StatusRequestEntityTooLarge:        codes.InvalidArgument,
	http.StatusUnsupportedMediaType:         codes.InvalidArgument,
	http.StatusNotAcceptable:                codes.InvalidArgument,
	http.StatusPaymentRequired:              codes.FailedPrecondition,
	http.StatusPreconditionFailed:           codes.FailedPrecondition,
	http.StatusForbidden:                    codes.PermissionDenied,
	http.StatusNotFound:                     codes.NotFound,
	http.StatusGone:                         codes.NotFound,
	http.StatusMisdirectedRequest:           codes.NotFound,
	http.StatusMethodNotAllowed:             codes.Unimplemented,
	http.StatusRequestedRangeNotSatisfiable: codes.OutOfRange,
	http.StatusTooManyRequests:              codes.ResourceExhausted,
	http.StatusServiceUnavailable:           codes.Unavailable,
}
