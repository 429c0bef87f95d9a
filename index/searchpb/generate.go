// Package searchpb is the paid search interface over gRPC, generated from search.proto.
//
// To generate it again, put protoc 3.21 (Debian: protobuf-compiler) and these on the PATH:
//
//	go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
//	go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.1
package searchpb

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative search.proto
