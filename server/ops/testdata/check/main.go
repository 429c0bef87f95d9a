// Command check reads the compose file as compose does, strictly: an unknown key, a wrong type or a reference to
// something that is not there is an error. With -containers it prints their containers, as
// JSON, for the tests that run it. It is a module of its own so that the service does not depend on its libraries.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

func main() {
	show := flag.Bool("containers", false, "print the containers that the file runs, as JSON, and nothing else")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: check [-containers] compose.yaml")
		os.Exit(2)
	}
	containers, err := readCompose(flag.Arg(0))
	if err == nil && *show {
		err = json.NewEncoder(os.Stdout).Encode(containers)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A container is a container of a deployment file that runs almanac's image.
type container struct {
	File         string            `json:"file"`
	Name         string            `json:"name"`
	Args         []string          `json:"args,omitempty"` // none: those of the image
	Env          map[string]string `json:"env,omitempty"`
	ReadOnlyRoot bool              `json:"read_only_root"`
	Mounts       []mount           `json:"mounts,omitempty"`
}

// A mount is a folder or a file in a container.
type mount struct {
	Path     string `json:"path"`
	Source   string `json:"source"` // secret or volume
	ReadOnly bool   `json:"read_only"`
}

// readCompose returns the containers of a compose file that run almanac.
func readCompose(file string) (list []container, err error) {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithEnv([]string{"ALMANAC_DOMAIN=example.org"}))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, name := range slices.Sorted(maps.Keys(project.Services)) {
		if s := project.Services[name]; s.Image == "almanac" {
			list = append(list, composeContainer(file, name, s))
		}
	}
	return list, nil
}

func composeContainer(file, name string, s types.ServiceConfig) container {
	c := container{File: file, Name: name, Args: s.Command, Env: make(map[string]string), ReadOnlyRoot: s.ReadOnly}
	for key, value := range s.Environment {
		if value != nil {
			c.Env[key] = *value
		}
	}
	for _, secret := range s.Secrets {
		target := secret.Target
		if target == "" {
			target = secret.Source
		}
		if !path.IsAbs(target) {
			target = path.Join("/run/secrets", target)
		}
		c.Mounts = append(c.Mounts, mount{Path: target, Source: "secret", ReadOnly: true})
	}
	for _, v := range s.Volumes {
		c.Mounts = append(c.Mounts, mount{Path: v.Target, Source: "volume", ReadOnly: v.ReadOnly})
	}
	return c
}
