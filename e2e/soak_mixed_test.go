//go:build soak

package e2e

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.almanac.example/server/servertest"
)

// TestSoakMixedSchemes: buyers that hold one payment as an L402 and as a Payment credential ask named requests over
// HTTP, gRPC and MCP, of two replicas on one PostgreSQL which are killed (kill -9) in turn. A request without an answer
// is repeated under its name, and many with one are, at either replica and with either credential. Each costs one
// credit: none is lost, and none is taken twice.
func TestSoakMixedSchemes(t *testing.T) {
	pg := startPostgres(t)
	state := t.TempDir() // the replicas share the key file
	args := append([]string{"-ledger", pg.url()}, bulk...)
	m := &mixedCrowd{t: t, spent: make(map[string]int64)}
	for range 2 {
		address := []string{"-state", state, "-http", lasting(t), "-grpc", lasting(t)}
		m.replicas = append(m.replicas, newReplica(t, startServe(t, append(address, args...)...)))
	}
	for i := range 4 {
		m.buyers = append(m.buyers, buyBoth(t, m.replicas[0].base, netOf(i)))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for _, b := range m.buyers {
		for _, door := range doors {
			wg.Go(func() {
				for ctx.Err() == nil {
					m.ask(b, door)
				}
			})
		}
	}
	for i := range 4 {
		time.Sleep(*soakTime / 4)
		r := m.replicas[i%2]
		r.process.signal(syscall.SIGKILL)
		r.process.cmd.Wait()
		time.Sleep(*soakTime / 8)
		r.process = restart(t, r.process, state, append([]string{"-grpc", r.grpc}, args...)...)
	}
	cancel()
	wg.Wait()
	m.reckon()
}

// doors are the interfaces at which a search can be bought.
var doors = []string{"HTTP", "gRPC", "MCP"}

// A mixedCrowd asks named requests with both credentials of each payment.
type mixedCrowd struct {
	t        *testing.T
	replicas []*replica
	buyers   []*pair

	again, broken, alternated atomic.Int64 // requests asked twice on purpose, tries without an answer, tries with the other credential

	mu    sync.Mutex
	spent map[string]int64 // answered requests by interface
}

// ask asks one request under a name of its own until it is answered, and then perhaps once more. Every try takes a
// replica and a credential by chance.
func (m *mixedCrowd) ask(b *pair, door string) {
	name, began, first := rand.Text(), time.Now(), ""
	tries := 1 + int(name[0])%2 // half of the requests are asked again although they were answered
	m.again.Add(int64(tries - 1))
	for tries > 0 {
		chance := rand.Text()
		credential := b.credentials[int(chance[0])%len(b.credentials)]
		if first == "" {
			first = credential
		} else if credential != first {
			m.alternated.Add(1)
		}
		err := m.replicas[int(chance[1])%2].search(door, credential, name)
		switch {
		case err == nil:
			tries--
		case !errors.Is(err, errNoAnswer) || time.Since(began) > named/2:
			m.t.Errorf("%s, after %s: %v", door, time.Since(began), err)
			return
		default:
			m.broken.Add(1)
			time.Sleep(50 * time.Millisecond)
		}
	}
	b.answered.Add(1)
	m.mu.Lock()
	m.spent[door]++
	m.mu.Unlock()
}

// reckon compares what every buyer was answered with what the ledger took, as either credential and either replica
// state it.
func (m *mixedCrowd) reckon() {
	var sum reckoning
	for i, b := range m.buyers {
		used := int64(-1)
		for _, r := range m.replicas {
			for _, credential := range b.credentials {
				for deadline := time.Now().Add(servertest.Patience); ; {
					used = soakCredits - remainingAt(m.t, r.base, credential, netOf(i))
					if used == b.answered.Load() || time.Now().After(deadline) { // a credit in doubt comes back a while later
						break
					}
				}
				if used != b.answered.Load() {
					m.t.Errorf("buyer %d: %d credits for %d requests, as %.7s states it at %s", i, used, b.answered.Load(), credential, r.base)
				}
			}
		}
		sum.answered += b.answered.Load()
		sum.used += used
	}
	for _, door := range doors {
		if m.spent[door] == 0 {
			m.t.Errorf("nothing was bought over %s", door)
		}
	}
	if m.broken.Load() == 0 || m.alternated.Load() == 0 {
		m.t.Error("no request was repeated, or none with the other credential")
	}
	m.t.Logf("answers %v, %d requests asked again after their answer, %d tries with the other credential", m.spent, m.again.Load(), m.alternated.Load())
	logFault(m.t, sum, "–", "–", thousands(m.broken.Load())+" requests repeated")
}
