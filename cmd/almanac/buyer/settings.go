// Package buyer implements the commands of a buyer: it opens a paying client from settings, gets and probes
// addresses, and prints receipts.
package buyer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/client"
	"go.almanac.example/http402/journal"
	"go.almanac.example/http402/probe"
	"go.almanac.example/http402/wallet"
	"go.almanac.example/http402/wallet/cln"
	"go.almanac.example/http402/wallet/demo"
	"go.almanac.example/http402/wallet/lnd"
	"go.almanac.example/http402/wallet/nwc"
	"go.almanac.example/http402/wallet/phoenixd"
	"go.almanac.example/http402/wallet/rest"
)

// Settings name the wallet, the journal and the limits.
type Settings struct {
	Wallet   string // lnd:ADDRESS, cln:ADDRESS, phoenixd:ADDRESS, nwc:FILE or demo:ADDRESS; empty pays nothing
	Cert     string // of a node
	Macaroon string // of an lnd, in a file
	Secret   string // of a Core Lightning or a phoenixd, in a file
	Network  string // empty is the wallet's usual one
	Journal  string // file; empty is one of the user

	Budget        client.Budget
	Timeout       time.Duration
	Hosts, Payees string // that may be paid, with commas between; empty is any
}

// Register adds the settings' flags.
func (s *Settings) Register(f *flag.FlagSet) {
	f.StringVar(&s.Wallet, "wallet", "",
		"`wallet` that pays: lnd:https://HOST:PORT, cln:https://HOST:PORT, phoenixd:http://localhost:PORT, nwc:FILE with the connection's URI, or demo:http://HOST:PORT")
	f.StringVar(&s.Cert, "wallet-cert", "", "`file` tls.cert of an lnd wallet, or ca.pem of Core Lightning's clnrest")
	f.StringVar(&s.Macaroon, "wallet-macaroon", "",
		"`file` with the macaroon of an lnd wallet, which needs only to send and track payments")
	f.StringVar(&s.Secret, "wallet-secret", "",
		"`file` with a rune of Core Lightning for pay and listpays, or phoenixd's password for full access")
	f.StringVar(&s.Network, "network", "", "pay invoices of this `network` only: "+
		strings.Join(bolt11.Networks(), ", ")+" (default mainnet, or regtest with the demo)")
	f.StringVar(&s.Journal, "journal", "", "`file` of payments and credentials (default "+
		filepath.Join("$XDG_STATE_HOME", "almanac", "buyer.journal")+")")
	f.Int64Var(&s.Budget.PerPayment, "max-cost", 100, "limit of one payment, in `satoshis`")
	f.Int64Var(&s.Budget.PerHostDay, "max-host-day", 0,
		"limit of one host in a day (UTC) with fees, in `satoshis`; 0 means none")
	f.Int64Var(&s.Budget.PerDay, "max-day", 1000, "limit of a day (UTC) with fees, in `satoshis`; 0 means none")
	f.Int64Var(&s.Budget.Total, "max-total", 0, "limit of the whole journal with fees, in `satoshis`; 0 means none")
	f.Int64Var(&s.Budget.FeeLimit, "max-fee", 10, "limit of the routing fee of one payment, in `satoshis`")
	f.DurationVar(&s.Timeout, "pay-timeout", time.Minute, "`time` that a payment may take")
	f.StringVar(&s.Hosts, "allow-host", "", "pay only these `hosts`, with commas between")
	f.StringVar(&s.Payees, "allow-payee", "", "pay only these `nodes`, by their public keys, with commas between")
}

// Check reports settings that cannot be meant.
func (s *Settings) Check() error {
	if kind, _, ok := strings.Cut(s.Wallet, ":"); s.Wallet != "" &&
		(!ok || !slices.Contains([]string{"lnd", "cln", "phoenixd", "nwc", "demo"}, kind)) {
		return fmt.Errorf("-wallet %q is not lnd:ADDRESS, cln:ADDRESS, phoenixd:ADDRESS, nwc:FILE or demo:ADDRESS", kind)
	}
	if s.Network != "" && !slices.Contains(bolt11.Networks(), s.Network) {
		return fmt.Errorf("network %q is not one of %s", s.Network, strings.Join(bolt11.Networks(), ", "))
	}
	if b := s.Budget; min(b.PerPayment, b.PerHostDay, b.PerDay, b.Total, b.FeeLimit) < 0 || s.Timeout <= 0 {
		return errors.New("limits are whole numbers of satoshis from 0 up, and -pay-timeout is above 0")
	}
	return nil
}

// journalPath returns the file of payments: by default, one of the user who runs the program.
func (s *Settings) journalPath() (string, error) {
	if s.Journal != "" {
		return s.Journal, nil
	}
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "almanac", "buyer.journal"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find a place for the journal: %w; name one with -journal", err)
	}
	return filepath.Join(home, ".local", "state", "almanac", "buyer.journal"), nil
}

// wallet opens the wallet and returns it with a name without secrets, and the network that it usually pays on.
func (s *Settings) wallet() (w wallet.Wallet, name, network string, err error) {
	kind, place, _ := strings.Cut(s.Wallet, ":")
	name, network = s.Wallet, bolt11.Mainnet
	switch kind {
	case "":
	case "demo":
		network = bolt11.Regtest
		w, err = demo.New(place)
	case "lnd":
		w, err = lnd.New(place, s.Cert, s.Macaroon)
	case "cln":
		w, err = cln.New(place, s.Cert, s.Secret)
	case "phoenixd":
		w, err = phoenixd.New(place, s.Cert, s.Secret)
	case "nwc":
		var uri string
		if uri, err = rest.ReadSecret(place); err == nil {
			w, err = nwc.New(uri)
		}
		name = fmt.Sprintf("nwc:%x", sha256.Sum256([]byte(uri)))[:20] // files are renamed, and overwritten
	} // Check has refused other kinds
	if fault, ok := errors.AsType[syscall.Errno](err); ok { // whose path may be the secret itself, by mistake
		err = fmt.Errorf("read a file of the wallet: %w; lnd needs -wallet-macaroon FILE, cln and phoenixd -wallet-secret FILE, and nwc:FILE has the connection's URI", fault)
	}
	return w, name, network, err
}

// Open opens the journal and the wallet. approve is asked before each payment, and may be nil.
func (s *Settings) Open(
	ctx context.Context, approve func(context.Context, client.Quote) error, log *slog.Logger,
) (*client.Client, error) {
	w, name, network, err := s.wallet()
	if err != nil {
		return nil, &client.Refusal{Reason: client.WalletFault, Message: err.Error(), Err: err}
	}
	path, err := s.journalPath()
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(ctx, path)
	if err != nil {
		return nil, &client.Refusal{Reason: client.JournalFault, Message: err.Error(), Err: err}
	}
	networks := []string{network}
	switch {
	case s.Network != "":
		networks = []string{s.Network}
	case w == nil:
		networks = bolt11.Networks() // nothing is paid, and the price can be shown
	}
	return client.New(client.Config{
		Wallet: w, WalletName: name, Journal: j, Networks: networks, Approve: approve, PayTimeout: s.Timeout, Log: log,
		Hosts: splitList(s.Hosts), Payees: splitList(s.Payees), Budget: s.Budget,
	})
}

// UseJournal opens the journal for do, and closes it. It asks no wallet and pays nothing.
func (s *Settings) UseJournal(ctx context.Context, do func(*client.Client) error) error {
	s.Wallet = ""
	c, err := s.Open(ctx, nil, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	return do(c)
}

// ReadJournal is UseJournal for a command that only reads, and creates no journal: a named one that is not there is an
// error, the default one is empty, with a note.
func (s *Settings) ReadJournal(ctx context.Context, notes io.Writer, do func(*client.Client) error) error {
	path, err := s.journalPath()
	switch {
	case err != nil, journal.Exists(path):
		return s.UseJournal(ctx, do) // which returns the error
	case s.Journal != "":
		return &client.Refusal{Reason: client.JournalFault,
			Message: "there is no journal " + path + ": check -journal, or the variable or setting that names it"}
	}
	fmt.Fprintf(notes, "nothing was bought yet: there is no journal %s\n", path)
	c, err := client.New(client.Config{Journal: new(journal.Journal), Budget: s.Budget})
	if err != nil {
		return err
	}
	return errors.Join(do(c), c.Close())
}

// splitList returns the parts of a list with commas between.
func splitList(list string) []string {
	return strings.FieldsFunc(strings.ToLower(list), func(r rune) bool { return r == ',' || r == ' ' })
}

// The exit statuses of the buyer's commands, beside 0 for success, 1 for other failures and 2 for a wrong command line.
const (
	ExitAnswer    = 3  // the answer is an error, such as 404, or a redirect that is not followed
	ExitBudget    = 4  // not paid: a limit or the user said no
	ExitChallenge = 5  // not paid: the challenge is faulty
	ExitFailed    = 6  // the wallet could not pay
	ExitPending   = 7  // whether it is paid is not known yet
	ExitRefused   = 8  // paid, and the seller asks again
	ExitStore     = 9  // the wallet or the journal does not work
	ExitFaults    = 10 // a probe found faults
)

// ExitStatus returns the exit status for an error, or 0 for one that has none of its own.
func ExitStatus(err error) int {
	switch {
	case errors.As(err, new(*AnswerError)):
		return ExitAnswer
	case errors.Is(err, probe.ErrFaults):
		return ExitFaults
	}
	r, ok := errors.AsType[*client.Refusal](err)
	if !ok || r.Reason == client.CallerLeft {
		return 0
	}
	return cmp.Or(exits[r.Reason], ExitChallenge)
}

// exits are the statuses of refusals; of any other it is that of a faulty challenge.
var exits = map[client.Reason]int{
	client.NoBudget: ExitBudget, client.OverPayment: ExitBudget, client.OverHostDay: ExitBudget, client.OverDay: ExitBudget,
	client.OverTotal: ExitBudget, client.Declined: ExitBudget, client.NotAllowed: ExitBudget,
	client.PaymentFailed: ExitFailed, client.Pending: ExitPending,
	client.NotAccepted: ExitRefused, client.AlreadyPaid: ExitRefused, client.TooManyRounds: ExitRefused,
	client.WalletFault: ExitStore, client.JournalFault: ExitStore,
}

// An AnswerError is an answer that is an error.
type AnswerError struct {
	Status string // such as "404 Not Found"
	Detail string
}

// Error implements error.
func (e *AnswerError) Error() string {
	if e.Detail != "" {
		return fmt.Sprintf("the answer is %s: %s", e.Status, e.Detail)
	}
	return "the answer is " + e.Status
}
