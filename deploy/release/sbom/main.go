// Command sbom writes the bill of materials of a Go binary as CycloneDX JSON: every module that is linked into it, with
// version, package URL, checksum and licence. It reads the list from the binary itself and the licences from the module
// cache. The same binary gives the same bytes.
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
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
		c, err := component(m)
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
func component(m *debug.Module) (c cdx.Component, err error) {
	url := "pkg:golang/" + m.Path + "@" + m.Version
	c = cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: url}
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
	if err != nil || len(sum) != 32 {
		return c, fmt.Errorf("%q is not a checksum", m.Sum)
	}
	c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	id, err := license(m)
	if err != nil {
		return c, err
	}
	c.Licenses = spdx(id)
	return c, nil
}

// license returns the SPDX identifiers of a module's licence, as read from its files.
func license(m *debug.Module) (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", m.Path+"@"+m.Version).Output()
	if err != nil {
		return "", fmt.Errorf("find its files: %w", err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", err
	}
	files, err := os.ReadDir(module.Dir)
	if err != nil {
		return "", err
	}
	for _, f := range files {
		if name := strings.ToUpper(f.Name()); f.IsDir() || !strings.HasPrefix(name, "LICEN") &&
			!strings.HasPrefix(name, "COPYING") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(module.Dir, f.Name()))
		if err != nil {
			return "", err
		}
		var ids []string
		for _, match := range licensecheck.Scan(text).Match {
			if !strings.Contains(strings.Join(ids, " "), match.ID) {
				ids = append(ids, match.ID)
			}
		}
		if len(ids) > 0 {
			return strings.Join(ids, " AND "), nil
		}
	}
	return "", fmt.Errorf("no licence was recognised in %s", module.Dir)
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
