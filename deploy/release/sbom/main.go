// Command sbom writes the bill of materials of a Go binary as CycloneDX JSON: every module that is linked into it, with
// version, package URL, checksum and licence. It reads the list from the binary itself and the licences from NOTICES
// beside it. The same files give the same bytes.
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/licensecheck"
)

func main() {
	version := flag.String("version", "", "version of the release")
	built := flag.Int64("time", 0, "time of the release, in seconds since 1970")
	flag.Parse()
	if err := run(flag.Arg(0), *version, time.Unix(*built, 0)); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(binary, version string, built time.Time) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	notices, err := os.ReadFile(filepath.Join(filepath.Dir(binary), "NOTICES"))
	if err != nil {
		return err
	}
	known := licenses(string(notices))
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{
		Timestamp: built.UTC().Format(time.RFC3339),
		Component: &cdx.Component{
			BOMRef: "almanac", Type: cdx.ComponentTypeApplication, Name: "almanac", Version: version, Licenses: spdx("MIT"),
			Properties: &[]cdx.Property{{Name: "go:os", Value: setting(info, "GOOS")},
				{Name: "go:arch", Value: setting(info, "GOARCH")}},
		},
	}
	components := []cdx.Component{{
		BOMRef: "std", Type: cdx.ComponentTypeLibrary, Name: "std", Version: strings.TrimPrefix(info.GoVersion, "go"),
		PackageURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"), Licenses: spdx("BSD-3-Clause"),
	}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if strings.HasPrefix(m.Path, "./") { // a part of this repository
			continue
		}
		c, err := component(m, known[m.Path+" "+m.Version])
		if err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
		components = append(components, c)
	}
	bom.Components = &components
	refs := make([]string, len(components))
	for i, c := range components {
		refs[i] = c.BOMRef
	}
	bom.Dependencies = &[]cdx.Dependency{{Ref: "almanac", Dependencies: &refs}}
	encoder := cdx.NewBOMEncoder(os.Stdout, cdx.BOMFileFormatJSON)
	return encoder.SetPretty(true).Encode(bom)
}

// component returns a module's entry. The checksum is the module's of go.sum, which is a SHA-256 over its files.
func component(m *debug.Module, licenses []string) (c cdx.Component, err error) {
	url := "pkg:golang/" + m.Path + "@" + m.Version
	c = cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: url}
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
	if err != nil || len(sum) != 32 {
		return c, fmt.Errorf("%q is not a checksum", m.Sum)
	}
	c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	if len(licenses) == 0 {
		return c, errors.New("no licence was recognised in NOTICES")
	}
	c.Licenses = spdx(strings.Join(licenses, " AND "))
	return c, nil
}

// licenses returns the SPDX identifiers of each module's licences, as read from NOTICES: the names of modules, an empty
// line and a text, between lines of "=".
func licenses(notices string) map[string][]string {
	known, names := map[string][]string{}, ""
	for section := range strings.SplitSeq(notices, "\n"+strings.Repeat("=", 80)+"\n") {
		if !strings.HasPrefix(section, "\n") { // else the line was in the text
			names, section, _ = strings.Cut(section, "\n\n")
		}
		for _, match := range licensecheck.Scan([]byte(section)).Match {
			for name := range strings.SplitSeq(names, "\n") {
				if !slices.Contains(known[name], match.ID) {
					known[name] = append(known[name], match.ID)
				}
			}
		}
	}
	return known
}

func spdx(expression string) *cdx.Licenses { return &cdx.Licenses{{Expression: expression}} }

func setting(info *buildinfo.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
