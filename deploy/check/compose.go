package main

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// readCompose returns the containers of a compose file that run almanac, and a line that counts what the file has.
func readCompose(file string) ([]container, string, error) {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithEnv([]string{"ALMANAC_DOMAIN=example.org"}))
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", file, err)
	}
	var list []container
	for _, name := range slices.Sorted(maps.Keys(project.Services)) {
		if s := project.Services[name]; s.Image == "almanac" {
			list = append(list, composeContainer(file, name, s))
		}
	}
	return list, fmt.Sprintf("%s: %d services, %d networks, %d volumes, %d secrets\n", file,
		len(project.Services), len(project.Networks), len(project.Volumes), len(project.Secrets)), nil
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
