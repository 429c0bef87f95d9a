// Command check reads the compose file and the Kubernetes manifests as their own tools do, strictly: an unknown key, a
// wrong type or a reference to something that is not there is an error. With -containers it prints their containers, as
// JSON, for the tests that run it. It is a module of its own so that the service does not depend on its libraries.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	show := flag.Bool("containers", false, "print the containers that the files run, as JSON, and nothing else")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "usage: check [-containers] compose.yaml kubernetes.yaml…")
		os.Exit(2)
	}
	containers, counts, err := readCompose(flag.Arg(0))
	for _, manifest := range flag.Args()[1:] {
		more, count, readErr := readKubernetes(manifest)
		containers, counts, err = append(containers, more...), counts+count, errors.Join(err, readErr)
	}
	if err == nil && *show {
		err = json.NewEncoder(os.Stdout).Encode(containers)
	} else {
		fmt.Print(counts)
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
	User         int64             `json:"user,omitempty"` // 0: that of the image
	ReadOnlyRoot bool              `json:"read_only_root"`
	Mounts       []mount           `json:"mounts,omitempty"`
	Before       []string          `json:"before,omitempty"` // the command that runs first, with the same mounts
	Probes       map[string]probe  `json:"probes,omitempty"`
}

// A mount is a folder or a file in a container.
type mount struct {
	Path     string `json:"path"`
	Source   string `json:"source"` // secret, memory or volume
	ReadOnly bool   `json:"read_only"`
}

// A probe is a request of the kubelet.
type probe struct {
	Port     int32  `json:"port"`
	Path     string `json:"path"`
	Period   int32  `json:"period_seconds"`
	Timeout  int32  `json:"timeout_seconds"`
	Failures int32  `json:"failure_threshold"`
}
