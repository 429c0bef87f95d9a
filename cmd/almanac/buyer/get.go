package buyer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"go.almanac.example/http402/client"
	"go.almanac.example/http402/journal"
	"go.almanac.example/http402/netaddr"
)

// A Get is a request and the destination of its answer.
type Get struct {
	Settings
	URL     string
	Method  string // empty is GET, or POST with data
	Headers http.Header
	Data    string        // body; @FILE reads a file, @- the standard input
	Output  string        // file; empty is Stdout
	DryRun  bool          // show the price and pay nothing
	Follow  bool          // redirects
	Private bool          // follow them from the Internet into private networks, too
	MaxTime time.Duration // of all; 0: no limit
	JSON    bool          // print a summary on Stdout
	Agent   string        // User-Agent

	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Terminal       bool // Stderr is one

	summary summary
}

// Check reports settings that cannot be meant.
func (g *Get) Check() error {
	if g.JSON && (g.Output == "" || g.Output == "-") && !g.DryRun {
		return errors.New("-json prints a summary on the standard output: name a file for the answer with -o")
	}
	return g.Settings.Check()
}

// errDryRun ends a dry run where money would move.
var errDryRun = errors.New("this is a dry run")

// Run sends the request, pays if it must and may, and writes the answer.
func (g *Get) Run(ctx context.Context) error {
	if g.MaxTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, g.MaxTime, fmt.Errorf("it took longer than %s (-max-time)", g.MaxTime))
		defer cancel()
	}
	err := g.run(ctx)
	if cause := context.Cause(ctx); errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, cause) {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	if g.JSON {
		g.summary.URL, g.summary.Error = g.URL, newFailure(err)
		err = errors.Join(err, printJSON(g.Stdout, g.summary))
	}
	return err
}

func (g *Get) run(ctx context.Context) error {
	req, err := g.request(ctx)
	if err != nil {
		return err
	}
	out, err := openOutput(g.Output, g.Stdout) // before anything is paid
	if err != nil {
		return err
	}
	defer out.cleanUp()
	c, err := g.Open(ctx, g.approve, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	if g.DryRun {
		if cred := c.Find(ctx, client.Origin(req.URL), req.URL.EscapedPath()); cred != nil {
			return g.printCredential(cred)
		}
	}
	ctx = client.OnPaid(ctx, g.paid)
	hc := &http.Client{Transport: &client.Transport{Client: c, Base: g.transport()}}
	if !g.Follow {
		hc.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	resp, err := hc.Do(req.WithContext(ctx))
	if errors.Is(err, errDryRun) {
		return nil
	}
	if err != nil {
		return client.Unwrap(err)
	}
	defer resp.Body.Close()
	g.summary.Status = resp.StatusCode
	switch {
	case g.DryRun && g.JSON && resp.StatusCode >= 400:
		return &AnswerError{Status: resp.Status}
	case g.DryRun && g.JSON:
		return nil
	case g.DryRun && resp.StatusCode < 400:
		_, err := fmt.Fprintf(g.Stdout, "%s answers %s without payment\n", req.URL.Redacted(), resp.Status)
		return err
	}
	if _, err = io.Copy(out, resp.Body); err == nil {
		err = out.finish()
	}
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	g.printLeft(resp.Header)
	if to, err := resp.Location(); err == nil && resp.StatusCode/100 == 3 {
		return &AnswerError{Status: resp.Status, Detail: fmt.Sprintf("it leads to %s; -L follows", to.Redacted())}
	}
	if resp.StatusCode >= 400 {
		refused := &AnswerError{Status: resp.Status}
		if cred := c.Find(ctx, client.Origin(req.URL), req.URL.EscapedPath()); cred != nil &&
			(resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden) {
			refused.Detail = fmt.Sprintf("the credential %s did not help; almanac forget %s presents it no more", cred.ID(), cred.ID())
		} else if resp.StatusCode == http.StatusPaymentRequired && req.Header["Authorization"] != nil {
			refused.Detail = "it is not paid for, since the credential would replace the request's own Authorization; leave that out"
		} else if resp.StatusCode == http.StatusPaymentRequired {
			refused.Detail = "its headers ask for nothing that is paid over Lightning; almanac probe says what they ask for"
		}
		return refused
	}
	return nil
}

// transport returns a transport that does not follow a host on the Internet into a private network, where it could have
// asked nothing itself.
func (g *Get) transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 30 * time.Second, Control: g.guard()}).DialContext
	return t
}

// guard returns the Control of a dialer that refuses private addresses once it has dialled one on the Internet.
func (g *Get) guard() func(network, address string, _ syscall.RawConn) error {
	var public atomic.Bool
	return func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		ip := at.Addr().Unmap()
		private := !netaddr.IsPublic(ip)
		if private && public.Load() && !g.Private {
			return fmt.Errorf("a redirect leads to the private address %s; -allow-private follows it", ip)
		}
		if !private {
			public.Store(true)
		}
		return nil
	}
}

// request builds the request with a body that can be sent again.
func (g *Get) request(ctx context.Context) (*http.Request, error) {
	u, err := client.ParseAddress(g.URL)
	if err != nil {
		return nil, err
	}
	data, err := g.data()
	if err != nil {
		return nil, err
	}
	method := g.Method
	switch {
	case method == "" && g.Data == "":
		method = http.MethodGet
	case method == "":
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), strings.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("build the request: %w", err)
	}
	req.Header.Set("User-Agent", g.Agent)
	if g.Data != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded") // as curl does
	}
	maps.Copy(req.Header, g.Headers)
	return req, nil
}

func (g *Get) data() (string, error) {
	file, ok := strings.CutPrefix(g.Data, "@")
	if !ok {
		return g.Data, nil
	}
	var b []byte
	var err error
	if file == "-" {
		b, err = io.ReadAll(g.Stdin)
	} else {
		b, err = os.ReadFile(file)
	}
	if err != nil {
		return "", fmt.Errorf("read the data: %w", err)
	}
	return string(b), nil
}

// approve shows the payment about to be made, and in a dry run goes no further.
func (g *Get) approve(_ context.Context, o client.Quote) error {
	switch {
	case g.DryRun && g.JSON:
		g.summary.Quote = &o
		return errDryRun
	case !g.DryRun:
		if g.Terminal {
			fmt.Fprintf(g.Stderr, "paying %s to %s …\n", client.Sats(o.AmountMilliSats), o.Origin)
		}
		return nil
	}
	what := "one answer, or as many as the seller counts"
	if o.Credits > 0 {
		what = fmt.Sprintf("%d requests", o.Credits)
	}
	if !o.ValidUntil.IsZero() {
		what += " until " + o.ValidUntil.UTC().Format(time.RFC3339)
	}
	_, err := fmt.Fprintf(g.Stdout,
		"%s %s%s would cost %s, and at most %s for routing, by %s on %s.\nIt buys %s. The invoice (%q, payment %s) is payable until %s to node %s.\n",
		o.Method, o.Origin, o.Resource, client.Sats(o.AmountMilliSats), client.Sats(o.FeeLimitMilliSats), o.Scheme, o.Network,
		what, o.Description, o.Hash, o.InvoiceExpiresAt.UTC().Format(time.RFC3339), o.Payee)
	return errors.Join(errDryRun, err)
}

func (g *Get) printCredential(cred *client.Credential) error {
	left := "nobody knows how many requests are left"
	if n := cred.Remaining(); n >= 0 {
		left, g.summary.Left = fmt.Sprintf("%d requests are left", n), &n
	}
	if g.JSON {
		return nil
	}
	_, err := fmt.Fprintf(g.Stdout, "Nothing would be paid: payment %s is presented, and %s.\n", cred.ID(), left)
	return err
}

func (g *Get) paid(p journal.Purchase) {
	g.summary.Paid = &payment{p.Hash, p.AmountMilliSats, p.FeeMilliSats}
	fmt.Fprintf(g.Stderr, "paid %s to %s (and %s for routing)\n", client.Sats(p.AmountMilliSats), p.Host, client.Sats(p.FeeMilliSats))
}

func (g *Get) printLeft(h http.Header) {
	left := client.LeftOf(h)
	if left.Known {
		g.summary.Left = &left.Remaining
	}
	if left.Known && g.Terminal {
		fmt.Fprintf(g.Stderr, "%d requests are left\n", left.Remaining)
	}
}

// An output is the destination of an answer. A file appears when the answer is whole; until then an older one stays.
type output struct {
	io.Writer
	finish  func() error
	cleanUp func() error // does nothing after finish
}

// openOutput opens the file at path, or to if there is none.
func openOutput(path string, to io.Writer) (*output, error) {
	nothing := func() error { return nil }
	if path == "" || path == "-" {
		return &output{to, nothing, nothing}, nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // such as /dev/null
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, fmt.Errorf("open the file for the answer: %w", err)
		}
		return &output{f, f.Close, f.Close}, nil
	}
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithPermissions(0o666),
		renameio.WithExistingPermissions())
	if err != nil {
		return nil, fmt.Errorf("open the file for the answer: %w", err)
	}
	return &output{f, f.CloseAtomicallyReplace, f.Cleanup}, nil
}
