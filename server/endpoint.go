package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// An endpoint is a listener with what answers there.
type endpoint struct {
	name     string
	serve    func() error // until shutdown; then nil
	shutdown func(context.Context) error
}

// The limits of a connection. Every answer is in memory before it is written, so a client that is still reading after writeTimeout
// is not reading.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 32 << 10
	maxStreams        = 250 // of one HTTP/2 connection, at once
	drainTimeout      = 20 * time.Second
)

// httpEndpoint serves h at l, with TLS when there are certificates.
func httpEndpoint(name string, l net.Listener, h http.Handler, certs *certificates, log *slog.Logger) endpoint {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		HTTP2:          &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		Protocols:      new(http.Protocols),
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	srv.Protocols.SetHTTP1(true)
	srv.Protocols.SetHTTP2(true)
	srv.Protocols.SetUnencryptedHTTP2(true) // from proxies that speak TLS for us
	serve := srv.Serve
	if certs != nil {
		srv.TLSConfig = certs.config()
		serve = func(l net.Listener) error { return srv.ServeTLS(l, "", "") }
	}
	return endpoint{name, func() error {
		if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}, srv.Shutdown}
}

// drain ends all endpoints at the same time, each after the requests it is answering.
func drain(endpoints []endpoint, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	var wg sync.WaitGroup
	for _, e := range endpoints {
		wg.Go(func() {
			if err := e.shutdown(ctx); err != nil {
				log.Warn("requests were cut off at the end", "listener", e.name, "err", err)
			}
		})
	}
	wg.Wait()
}
