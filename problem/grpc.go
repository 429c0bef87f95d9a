package problem

import (
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
	switch p.Status() {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
		http.StatusNotAcceptable:
		return codes.InvalidArgument
	case http.StatusPaymentRequired, http.StatusPreconditionFailed:
		return codes.FailedPrecondition
	case http.StatusForbidden:
		return codes.PermissionDenied
	case http.StatusNotFound, http.StatusGone, http.StatusMisdirectedRequest:
		return codes.NotFound
	case http.StatusMethodNotAllowed:
		return codes.Unimplemented
	case http.StatusRequestedRangeNotSatisfiable:
		return codes.OutOfRange
	case http.StatusTooManyRequests:
		return codes.ResourceExhausted
	case http.StatusServiceUnavailable:
		return codes.Unavailable
	}
	return codes.Internal
}
