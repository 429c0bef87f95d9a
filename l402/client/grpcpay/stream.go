package grpcpay

import (
	"context"
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"almanac/l402/client"
)

// StreamInterceptor returns an interceptor that pays for streams that the client sends one message to, which are those that only the server streams:
// the challenge answers the first message, and the stream is opened again with the proof. A challenge to any other stream is a *client.Refusal.
func StreamInterceptor(c *client.Client) grpc.StreamClientInterceptor {
	return func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		if desc.ClientStreams {
			return open(ctx, desc, cc, method, opts...)
		}
		s := &paidStream{client: c, ctx: ctx, method: method, target: cc.Target()}
		s.open = func(ctx context.Context, a *attempt) (grpc.ClientStream, error) {
			return open(ctx, desc, cc, method, append(opts[:len(opts):len(opts)], grpc.Trailer(&a.trailer), grpc.Peer(&a.peer))...)
		}
		return s, nil
	}
}

// A paidStream opens its stream when the first answer is wanted, as often as that takes.
type paidStream struct {
	client *client.Client
	ctx    context.Context
	method string
	target string
	open   func(context.Context, *attempt) (grpc.ClientStream, error)

	mu      sync.Mutex
	message any // the only one
	stream  grpc.ClientStream
	err     error
}

var errTwoMessages = errors.New("a stream that only the server sends on takes one message")

// SendMsg implements grpc.ClientStream.
func (s *paidStream) SendMsg(m any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.message != nil {
		return errTwoMessages
	}
	s.message = m
	return nil
}

// CloseSend implements grpc.ClientStream.
func (s *paidStream) CloseSend() error { return nil }

// RecvMsg implements grpc.ClientStream.
func (s *paidStream) RecvMsg(m any) error {
	s.mu.Lock()
	if s.stream != nil || s.err != nil {
		stream, err := s.stream, s.err
		s.mu.Unlock()
		if err != nil {
			return err
		}
		return stream.RecvMsg(m)
	}
	defer s.mu.Unlock()
	s.err = pay(s.ctx, s.client, s.method, s.target, func(ctx context.Context, a *attempt) error { return s.begin(ctx, a, m) })
	if s.err == nil && s.stream == nil {
		s.err = io.EOF // an empty stream
	}
	return s.err
}

// begin opens the stream and receives its first message, which an end without one stands for as well.
func (s *paidStream) begin(ctx context.Context, a *attempt, m any) error {
	stream, err := s.open(ctx, a)
	if err != nil {
		return err
	}
	if err := stream.SendMsg(s.message); err != nil && !errors.Is(err, io.EOF) { // EOF: RecvMsg knows why
		return err
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	err = stream.RecvMsg(m)
	if header, headerErr := stream.Header(); headerErr == nil {
		a.header = header
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		s.stream = stream
	}
	return err
}

// Header implements grpc.ClientStream.
func (s *paidStream) Header() (metadata.MD, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stream == nil {
		return nil, s.err
	}
	return s.stream.Header()
}

// Trailer implements grpc.ClientStream.
func (s *paidStream) Trailer() metadata.MD {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stream == nil {
		return nil
	}
	return s.stream.Trailer()
}

// Context implements grpc.ClientStream.
func (s *paidStream) Context() context.Context { return s.ctx }
