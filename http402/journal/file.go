package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// A Journal is an open file. Its methods may be called from several goroutines. The zero Journal is empty, and stays so.
//
// Each line is a record in JSON behind its checksum; the last line about a purchase or a credential counts. Beside the
// file, one with the suffix .end has the length that is certainly on disk, which tells a journal that was truncated from
// one whose last line was never finished.
type Journal struct {
	path string
	lock *flock.Flock // of all processes that read or write

	mu          sync.Mutex
	closed      bool
	f           *os.File // nil before it is read
	size        int64    // read so far, all of it valid
	lines       int      // records read so far, also those that later ones replaced
	purchases   map[string]Purchase
	credentials map[string]Credential
}

// A record is a line of the file.
type record struct {
	Purchase   *purchaseRecord `json:"purchase,omitempty"`
	Credential *Credential     `json:"credential,omitempty"`
}

// A purchaseRecord is a purchase with the members that no other JSON of it has: together with the preimage, the
// challenge is the credential.
type purchaseRecord struct {
	Purchase
	Challenge         []byte `json:"challenge"`
	ReservedMilliSats int64  `json:"reserved_msat"`
}

func newPurchaseRecord(p Purchase) record {
	return record{Purchase: &purchaseRecord{p, p.Challenge, p.ReservedMilliSats}}
}

const (
	title       = "almanac journal 1\n" // the first line
	maxGarbage  = 1 << 20               // bytes of a file that is too small to compact
	lockTimeout = 30 * time.Second      // for another process to finish its step
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// locked calls f while no other process reads or writes, with the records of all of them.
func (j *Journal) locked(ctx context.Context, f func() error) error {
	if j.lock == nil { // of the zero Journal
		return f()
	}
	return j.serialize(ctx, func() error {
		if err := j.read(); err != nil {
			return err
		}
		return f()
	})
}

// serialize calls f while no other process reads or writes.
func (j *Journal) serialize(ctx context.Context, f func() error) (err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return os.ErrClosed
	}
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	if _, err := j.lock.TryLockContext(ctx, time.Millisecond); err != nil {
		return lockError(err)
	}
	defer func() { err = errors.Join(err, j.lock.Unlock()) }()
	return f()
}

// read reads the lines that other processes added, or all of a file that was replaced.
func (j *Journal) read() error {
	end, err := j.end()
	if err != nil {
		return err
	}
	info, err := os.Stat(j.path)
	if errors.Is(err, os.ErrNotExist) && (j.f != nil || end > 0) {
		return j.damaged("it is gone, although it was used")
	}
	own, ownErr := j.f.Stat() // an error of one that is not open
	if ownErr != nil || err == nil && !os.SameFile(own, info) {
		if err := j.open(); err != nil {
			return err
		}
	}
	if info, err = j.f.Stat(); err != nil {
		return err
	}
	if info.Size() < max(end, j.size) {
		return j.damaged("the file has %d bytes of %d", info.Size(), max(end, j.size))
	}
	b := make([]byte, info.Size()-j.size)
	if _, err := io.ReadFull(io.NewSectionReader(j.f, j.size, int64(len(b))), b); err != nil {
		return err
	}
	for line := range bytes.Lines(b) {
		if line[len(line)-1] != '\n' && j.size >= end {
			return nil // the process that wrote it ended before the line was whole, and before anything relied on it
		}
		if err := j.apply(line); err != nil {
			return j.damaged("the file is malformed at byte %d (%w)", j.size, err)
		}
		j.size += int64(len(line))
	}
	return nil
}

// damaged returns a fault with the ways on.
func (j *Journal) damaged(fault string, args ...any) error {
	return fmt.Errorf(fault+"; repair it, restore it, or remove it and %s.end to begin with new limits", append(args, j.path)...)
}

// open opens the file, of which nothing is read yet.
func (j *Journal) open() error {
	f, err := os.OpenFile(j.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if j.f != nil {
		j.f.Close()
	}
	j.f, j.size, j.lines, j.purchases, j.credentials = f, 0, 0, map[string]Purchase{}, map[string]Credential{}
	return nil
}

// end returns the length that is certainly on disk, 0 for a new journal.
func (j *Journal) end() (int64, error) {
	b, err := os.ReadFile(j.path + endSuffix)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(b) == 0 {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	end, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0, j.damaged("the length beside it is malformed: %w", err)
	}
	return end, nil
}

// setEnd writes the length that is on disk, in as many bytes as ever.
func (j *Journal) setEnd(end int64) error {
	f, err := os.OpenFile(j.path+endSuffix, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%019d", end)
	return errors.Join(err, f.Close())
}

// apply takes over a line.
func (j *Journal) apply(line []byte) error {
	if j.size == 0 {
		if string(line) != title {
			return errors.New("it is no journal")
		}
		return nil
	}
	r, err := parseLine(line)
	if err == nil {
		j.keep(r)
	}
	return err
}

func parseLine(line []byte) (r record, err error) {
	sum, text, _ := bytes.Cut(line, []byte(" "))
	if string(sum) != checksum(text) {
		return r, errors.New("a checksum does not fit")
	}
	err = json.Unmarshal(text, &r)
	return r, err
}

func (j *Journal) keep(r record) {
	j.lines++
	if p := r.Purchase; p != nil {
		p.Purchase.Challenge, p.Purchase.ReservedMilliSats = p.Challenge, p.ReservedMilliSats
		j.purchases[p.Hash] = p.Purchase
	}
	if c := r.Credential; c != nil {
		j.credentials[c.ID] = *c
	}
}

// write writes records down durably, in one step.
func (j *Journal) write(records ...record) error {
	first := j.size == 0
	err := j.add(records...)
	if err == nil {
		err = j.f.Sync()
	}
	if err == nil && first {
		err = syncDir(filepath.Dir(j.path))
	}
	if err != nil {
		return err
	}
	return j.setEnd(j.size)
}

// add adds records, which the next write makes durable.
func (j *Journal) add(records ...record) error {
	b, err := encodeLines(records)
	if err != nil {
		return err
	}
	if j.size == 0 {
		b = append([]byte(title), b...)
	}
	err = j.f.Truncate(j.size) // without a line that was never finished
	if err == nil {
		_, err = j.f.WriteAt(b, j.size)
	}
	if err != nil {
		return errors.Join(err, j.f.Truncate(j.size))
	}
	j.size += int64(len(b))
	for _, r := range records {
		j.keep(r)
	}
	if j.size > maxGarbage && j.lines > 4*(len(j.purchases)+len(j.credentials)) {
		return j.compact()
	}
	return nil
}

func encodeLines(records []record) ([]byte, error) {
	var b bytes.Buffer
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		line = append(line, '\n')
		fmt.Fprintf(&b, "%s %s", checksum(line), line)
	}
	return b.Bytes(), nil
}

// checksum returns the checksum of a line as the file has it, in eight hexadecimal digits.
func checksum(line []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(line, castagnoli)) }

// compact replaces the file by one without the lines that later ones replaced. Where that fails, as on a full disk, the
// longer file is as good.
func (j *Journal) compact() error {
	b, err := j.encode()
	if err != nil {
		return err
	}
	if err := j.setEnd(0); err != nil { // the new file is shorter
		return err
	}
	if replace(j.path, b) != nil {
		os.Remove(j.path + ".new")
		j.lines = 0 // to try again after as many
	}
	if err := errors.Join(j.read(), j.f.Sync()); err != nil { // of the new file; of the old one, the last line is not on disk yet
		return err
	}
	return j.setEnd(j.size)
}

// encode returns a file with each record once.
func (j *Journal) encode() ([]byte, error) {
	var records []record
	for _, p := range j.purchases {
		records = append(records, newPurchaseRecord(p))
	}
	for _, c := range j.credentials {
		records = append(records, record{Credential: &c})
	}
	lines, err := encodeLines(records)
	return append([]byte(title), lines...), err
}

// replace replaces a file durably. The temporary file of a process that ended before is overwritten.
func replace(path string, b []byte) error {
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Close closes the file.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	if j.lock == nil {
		return nil
	}
	err := j.lock.Close()
	if j.f != nil {
		err = errors.Join(err, j.f.Close())
		j.f = nil
	}
	return err
}
