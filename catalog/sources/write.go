package sources

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"almanac/catalog"
	"almanac/catalog/load"
)

// Write writes into the records below dir the day on which their quotes were found at the addresses of today, and returns how many
// records it changed. Nothing else is written: not where a source moved to, and nothing about what was not found.
func Write(dir string, cat *catalog.Catalog, findings []Finding) (int, error) {
	days := stood(findings)
	changed := 0
	for _, e := range cat.Entries() {
		if day := days[e.ID]; day > e.VerifiedAt {
			changed++
			err := edit(dir, load.EntryFile(e), func(path string, data []byte) ([]byte, error) {
				return load.EditEntry(path, data, func(e *catalog.Entry) { e.VerifiedAt = day })
			})
			if err != nil {
				return changed, err
			}
		}
	}
	for _, p := range cat.Protocols().Protocols {
		read := make(map[string]catalog.Date)
		for _, f := range p.Facts() {
			if day := days["protocol:"+p.ID+" "+f.Name]; day > f.VerifiedAt {
				read[f.Name] = day
			}
		}
		if len(read) == 0 {
			continue
		}
		changed++
		err := edit(dir, load.ProtocolFile(p.ID), func(path string, data []byte) ([]byte, error) {
			return load.EditProtocol(path, data, func(p *catalog.Protocol) { p.ReadAgain(read) })
		})
		if err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// stood returns, by the names of claims, the days on which every quote from the address that a record cites was found there.
func stood(findings []Finding) map[string]catalog.Date {
	days := make(map[string]catalog.Date)
	fell := make(map[string]bool)
	for _, f := range findings {
		if !f.Claim.Own || f.Claim.Quote == "" {
			continue
		}
		if f.Verdict == Stands || f.Verdict == Superseded {
			days[f.Claim.Name()] = catalog.DateOf(f.Read)
		} else {
			fell[f.Claim.Name()] = true
		}
	}
	maps.DeleteFunc(days, func(name string, _ catalog.Date) bool { return fell[name] })
	return days
}

func edit(dir, path string, change func(path string, data []byte) ([]byte, error)) error {
	name := filepath.Join(dir, filepath.FromSlash(path))
	data, err := os.ReadFile(name)
	if err == nil {
		data, err = change(path, data)
	}
	if err == nil {
		err = renameio.WriteFile(name, data, 0o644, renameio.WithExistingPermissions())
	}
	if err != nil {
		return fmt.Errorf("write the day of reading into %s: %w", strings.TrimSuffix(path, ".json"), err)
	}
	return nil
}
