package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/index"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/demo"
	"go.almanac.example/server/ops"
	"go.almanac.example/tools"
)

// payments are all that selling needs: the node, the ledger, and the paywall in front of them. They outlive every
// snapshot. Nil means that nothing is sold.
type payments struct {
	paywall *l402.Paywall
	ledger  maintained
	prober  *prober
	node    *node.Node // nil if the demo plays it
	demo    *demo.Node // nil otherwise
	keyFile string
	handles *tools.Handles
	log     *slog.Logger
	running sync.WaitGroup // the goroutines of start
}

// A maintained is the ledger as the service maintains it; the paywall spends from it.
type maintained interface {
	Check(ctx context.Context) error
	Latest(ctx context.Context) (time.Time, error)
	Prune(ctx context.Context, before time.Time) (int64, error)
	Close() error
}

// openPayments opens the node, the ledger and the paywall, or returns nil when nothing is sold. A node or a ledger that
// is away does not stop it: the data are free, and selling begins when both are there.
func openPayments(
	ctx context.Context, cfg *Config, site catalog.Site, problems problem.Writer, metrics *ops.Metrics,
) (*payments, error) {
	if cfg.Payments.Backend == BackendOff {
		return nil, nil
	}
	first := isGone(cfg.State)
	if err := os.MkdirAll(cfg.State, 0o700); err != nil {
		return nil, fmt.Errorf("make the state directory: %w", err)
	}
	p := &payments{keyFile: filepath.Join(cfg.State, "keys"), handles: tools.NewHandles(), log: cfg.Log}
	if err := refuseLostKeys(ctx, cfg.Payments.Ledger, p.keyFile); err != nil {
		return nil, err
	}
	keys, err := l402.OpenKeys(p.keyFile)
	if err != nil {
		return nil, err
	}
	switch {
	case keys.Created() && first && cfg.Payments.Backend == BackendDemo:
		cfg.Log.Info("new master keys were made", "file", p.keyFile)
	case keys.Created():
		cfg.Log.Warn("NEW MASTER KEYS WERE MADE: credentials that were sold under other keys are refused from now on; if there are any, stop, and put the old key file back; else back this one up", "file", p.keyFile)
	}
	if file, ok := strings.CutPrefix(cfg.Payments.Ledger, "sqlite:"); ok && isGone(file) && !keys.Created() {
		cfg.Log.Warn("A NEW LEDGER IS MADE BESIDE OLD KEYS: "+spentAgain+"; if there was one, stop, and put it or its backup back", "file", file)
	}
	invoicer, err := p.openNode(cfg, keys)
	if err != nil {
		return nil, err
	}
	store, err := ledger.OpenLate(cfg.Payments.Ledger)
	if err != nil {
		return nil, err
	}
	p.ledger = store
	demoWallet := ""
	if p.demo != nil {
		demoWallet = site.API + catalog.DemoWalletPath
	}
	p.paywall, err = l402.New(ctx, l402.Config{
		Terms: termsOf(cfg.Source.Terms), Memo: memoOf(cfg.Source.Terms),
		Realm: hostOf(site.API), BalanceURL: site.CreditsURL(), SaleURL: site.SearchURL(), DemoWalletURL: demoWallet,
		Invoicer: metrics.Node(invoicer), Ledger: metrics.Ledger(store), Keys: keys,
		Limits: cfg.Payments.Challenges, Fail: problems.Write,
		GRPCStatus: cfg.Payments.GRPCChallenge, Now: time.Now, Log: cfg.Log,
	})
	if err != nil {
		return nil, errors.Join(err, p.ledger.Close())
	}
	p.prober = newProber(p.paywall, metrics, cfg.Log)
	p.prober.probe(ctx)
	if err := p.prober.last.Load().node; errors.Is(err, node.ErrReadable) { // one that is only away is no reason not to start
		return nil, errors.Join(fmt.Errorf("nothing can be sold with this node: %w", err), p.ledger.Close())
	}
	return p, nil
}

// spentAgain is what follows from a ledger that is lost.
const spentAgain = "credits that were spent under these keys can be spent again"

// refuseLostKeys returns an error if the key file of the ledger is gone, before another is made in its place. A ledger
// that cannot be read now refuses other keys when it is used.
func refuseLostKeys(ctx context.Context, ledgerURL, keyFile string) error {
	if !isGone(keyFile) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, keysTimeout)
	defer cancel()
	status, err := ledger.Inspect(ctx, ledgerURL)
	if err == nil && !status.Fits(nil) && isGone(keyFile) { // another that starts at the same time makes the keys first
		return foreignKeys(keyFile)
	}
	return nil
}

// foreignKeys returns the error of a ledger that is under other keys than those of a file.
func foreignKeys(keyFile string) error {
	if isGone(keyFile) {
		return fmt.Errorf("%s is gone: %w: nothing that was sold is accepted under new keys", keyFile, l402.ErrForeignKeys)
	}
	return fmt.Errorf("%w: nothing that was sold is accepted under those of %s", l402.ErrForeignKeys, keyFile)
}

func isGone(file string) bool {
	_, err := os.Lstat(file)
	return errors.Is(err, fs.ErrNotExist)
}

func (p *payments) openNode(cfg *Config, keys l402.Keys) (_ l402.Invoicer, err error) {
	if cfg.Payments.Backend != BackendDemo {
		p.node, err = openLightning(cfg)
		return p.node, err
	}
	if err := checkDemo(cfg); err != nil {
		return nil, err
	}
	p.demo = demo.New(keys.Derive("demo node"), time.Now) // replicas and restarts are one node
	return p.demo, nil
}

// ErrPublicDemo means that the demo node, which pays its own invoices, would answer other machines.
var ErrPublicDemo = errors.New("the demo node takes no real payments")

// checkDemo returns an error if other machines could reach the demo node, and nobody said that this is meant.
func checkDemo(cfg *Config) error {
	if cfg.Payments.DemoAnywhere {
		return nil
	}
	if err := demo.CheckListener(cfg.HTTP); err != nil {
		return fmt.Errorf("%w: %w", ErrPublicDemo, err)
	}
	for _, address := range []string{cfg.Source.BaseURL, cfg.Source.APIURL} {
		if address != "" && !isLocalURL(address) {
			return fmt.Errorf("%w, and %s is a public address", ErrPublicDemo, address)
		}
	}
	return nil
}

// hostOf returns the host name of an address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

func termsOf(o catalog.Terms) l402.Terms {
	return l402.Terms{PriceSats: o.PriceSats, Credits: o.Credits, Validity: time.Duration(o.ValidDays) * 24 * time.Hour}
}

func memoOf(o catalog.Terms) string {
	prefix := "almanac: "
	if o.Demo {
		prefix = "almanac (demonstration): "
	}
	return fmt.Sprintf("%s%d searches within %d days", prefix, o.Credits, o.ValidDays)
}

// state returns how payments stood when the node and the ledger were last probed.
func (p *payments) state() catalog.Payments {
	if p == nil {
		return catalog.PaymentsOff
	}
	return p.prober.last.Load().state()
}

// changed returns a channel that receives after the state changed. When nothing is sold it never does.
func (p *payments) changed() <-chan struct{} {
	if p == nil {
		return nil
	}
	return p.prober.changed
}

const (
	maintainInterval = 24 * time.Hour
	maintainAgain    = 10 * time.Minute // after a failure: the ledger may only be away
	// pruneAge is how long after its end an account is forgotten, by our clock and by that of the last debit: a clock that is
	// wrong for a while must not cost anybody credits, nor one that is years fast at a start.
	pruneAge = 30 * 24 * time.Hour
)

// keysTimeout is how long the ledger may take to accept keys.
const keysTimeout = 10 * time.Second

// reloadKeys reads the key file and the node's credentials again.
func (p *payments) reloadKeys() error {
	if p == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), keysTimeout)
	defer cancel()
	keys, err := l402.ReadKeys(p.keyFile)
	if err == nil {
		err = p.paywall.SetKeys(ctx, keys)
	}
	if p.node != nil {
		err = errors.Join(err, p.node.Reload())
	}
	return err
}

// start probes the node and the ledger, and maintains the ledger at once and then at intervals, until ctx ends. close
// waits for both.
func (p *payments) start(ctx context.Context) {
	if p == nil {
		return
	}
	p.running.Go(func() { repeat(ctx, p.prober.interval, p.prober.probe) })
	p.running.Go(func() { repeat(ctx, 0, p.maintain) })
}

// maintain looks for damage of the ledger, forgets the accounts that ended long ago, and returns how long to wait for the
// next time.
func (p *payments) maintain(ctx context.Context) time.Duration {
	err := p.ledger.Check(ctx)
	now, latest, n := time.Now(), time.Time{}, int64(0)
	if err == nil {
		latest, err = p.ledger.Latest(ctx)
	}
	if latest.Before(now) {
		now = latest
	}
	if err == nil {
		n, err = p.ledger.Prune(ctx, now.Add(-pruneAge))
	}
	switch {
	case ctx.Err() != nil: // the next start prunes the rest
	case err != nil:
		p.log.Error("check or prune the ledger", "err", err)
		return maintainAgain
	default:
		p.log.Info("pruned the ledger", "accounts", n)
	}
	return maintainInterval
}

// close closes the ledger once nothing uses it any more. The context of start must have ended.
func (p *payments) close() {
	if p == nil {
		return
	}
	p.running.Wait()
	p.paywall.Close()
	if err := p.ledger.Close(); err != nil {
		p.log.Error("close the ledger", "err", err)
	}
}

// paidTool returns the paywall of the paid tool, nil when nothing is sold.
func (p *payments) paidTool(terms catalog.Terms) *tools.Paid {
	if p == nil {
		return nil
	}
	return &tools.Paid{
		Terms: terms, Payment: p.paywall.OffersPayment(), Balance: p.paywall.Balance, Challenge: p.paywall.Challenge,
		Spend:   func(ctx context.Context, r l402.Request) (tools.Charge, error) { return p.paywall.Spend(ctx, r) },
		Handles: p.handles,
	}
}

// seller returns the paid search of an index.
func seller(x *index.Index) index.Seller {
	return index.Seller{Index: x, Credits: creditsLeft, Waive: l402.Waive}
}

// creditsLeft returns the balance of the credential of the request being answered.
func creditsLeft(ctx context.Context) (*index.Credits, bool) {
	b, ok := l402.BalanceFrom(ctx)
	if !ok {
		return nil, false
	}
	return &index.Credits{Remaining: b.Remaining, ValidUntil: b.ValidUntil.UTC().Format(time.RFC3339)}, true
}
