// Requests sends the requests of testvectors/402/requests to a paid resource, and prints where it departs from the
// specifications: go run -C http402 ./testvectors/testdata/requests -pay 'COMMAND' URL. It ends with status 1 if it finds one.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/testvectors/requests"
)

func main() {
	log.SetFlags(0)
	pay := flag.String("pay", "", "shell `command` that pays the invoice in $INVOICE and prints the preimage, alone or among other text")
	wait := flag.Bool("wait", false, "wait until a challenge expires, which may take an hour")
	only := flag.String("only", "", "send the requests whose id has this `prefix` alone")
	verbose := flag.Bool("v", false, "print every request, not only what does not pass")
	flag.Parse()
	if flag.NArg() != 1 || *pay == "" {
		log.Fatal("usage: requests -pay COMMAND [-wait] [-only PREFIX] [-v] URL")
	}
	all, err := requests.All()
	if err != nil {
		log.Fatal(err)
	}
	r := requests.Runner{URL: flag.Arg(0), Client: &http.Client{Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	r.Pay = func(ctx context.Context, invoice string) (string, error) { return run(ctx, *pay, invoice) }
	if *wait {
		r.Wait = func(until time.Time) { time.Sleep(time.Until(until)) }
	}
	count := map[string]int{}
	for _, req := range all {
		if !strings.HasPrefix(req.ID, *only) {
			continue
		}
		got := r.Run(context.Background(), req)
		count[got.Verdict]++
		if !*verbose && got.Verdict == requests.Passes {
			continue
		}
		fmt.Printf("%s (%s) %s: %s\n", req.ID, req.Level, got.Verdict, got.Reason)
		for _, c := range req.Clauses {
			if got.Verdict == requests.Deviates {
				fmt.Printf("\t%s, %s: %s\n", c.Spec, c.Section, c.Says)
			}
		}
	}
	for _, v := range []string{requests.Passes, requests.Deviates, requests.NotApplicable, requests.NotRun} {
		fmt.Printf("%d %s\n", count[v], v)
	}
	if count[requests.Deviates] > 0 || count[requests.Passes] == 0 {
		os.Exit(1)
	}
}

var digits = regexp.MustCompile(`[0-9a-f]{64}`)

// run pays an invoice with a command, and finds the preimage in what it prints.
func run(ctx context.Context, command, invoice string) (string, error) {
	inv, err := bolt11.Decode(invoice)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Env, cmd.Stderr = append(os.Environ(), "INVOICE="+invoice), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", command, err)
	}
	for _, text := range digits.FindAllString(string(out), -1) {
		if raw, err := hex.DecodeString(text); err == nil && sha256.Sum256(raw) == inv.Hash {
			return text, nil
		}
	}
	return "", fmt.Errorf("%s prints no preimage of the invoice", command)
}
