package buyer

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"time"
)

// Share prints a copy of a credential for a helper.
type Share struct {
	Settings
	URL      string
	Requests int64         // that the copy may make; 0 is no limit of its own
	For      time.Duration // that the copy lasts; 0 is no limit of its own
	Stdout   io.Writer
}

// Run prints the value of Authorization. It asks no wallet, and pays nothing.
func (s *Share) Run(ctx context.Context) error {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" {
		return fmt.Errorf("%q is not an address such as https://example.com/paid", s.URL)
	}
	s.Wallet = ""
	c, err := s.Open(ctx, nil, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	var until time.Time
	if s.For > 0 {
		until = time.Now().Add(s.For)
	}
	shared, err := c.Share(ctx, u.Scheme+"://"+u.Host, u.EscapedPath(), s.Requests, until)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.Stdout, shared)
	return err
}
