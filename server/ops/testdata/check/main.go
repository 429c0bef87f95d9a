// Command check reads the compose file and the Kubernetes manifests as their own tools do, strictly: an unknown key, a
// wrong type or a reference to something that is not there is an error. With -containers it prints their containers, as
// JSON, for the tests that run it. It is a module of its own so that the service does not depend on its libraries.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

func main() {
	show := flag.Bool("containers", false, "print the containers that the files run, as JSON, and nothing else")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "usage: check [-containers] compose.yaml kubernetes.yaml…")
		os.Exit(2)
	}
	containers, err := readCompose(flag.Arg(0))
	for _, manifest := range flag.Args()[1:] {
		more, readErr := readKubernetes(manifest)
		containers, err = append(containers, more...), errors.Join(err, readErr)
	}
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

// kinds are the objects that a manifest may have.
var kinds = map[string]func() any{
	"apps/v1 Deployment":                 func() any { return new(appsv1.Deployment) },
	"batch/v1 CronJob":                   func() any { return new(batchv1.CronJob) },
	"v1 Service":                         func() any { return new(corev1.Service) },
	"policy/v1 PodDisruptionBudget":      func() any { return new(policyv1.PodDisruptionBudget) },
	"networking.k8s.io/v1 NetworkPolicy": func() any { return new(networkingv1.NetworkPolicy) },
}

// readKubernetes returns the containers of a manifest.
func readKubernetes(file string) (list []container, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	documents := yamlutil.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		doc, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		object, err := decode(doc)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		switch o := object.(type) {
		case *appsv1.Deployment:
			list = append(list, podContainers(file, o.Spec.Template.Spec)...)
		case *batchv1.CronJob:
			list = append(list, podContainers(file, o.Spec.JobTemplate.Spec.Template.Spec)...)
		}
	}
}

// decode reads one object strictly.
func decode(doc []byte) (any, error) {
	var head metav1.TypeMeta
	if err := yaml.Unmarshal(doc, &head); err != nil {
		return nil, err
	}
	name := head.APIVersion + " " + head.Kind
	newObject, ok := kinds[name]
	if !ok {
		return nil, fmt.Errorf("%q is not a kind that this manifest should contain", name)
	}
	object := newObject()
	if err := yaml.UnmarshalStrict(doc, object); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return object, nil
}

func podContainers(file string, pod corev1.PodSpec) (list []container) {
	sources := make(map[string]string)
	for _, v := range pod.Volumes {
		switch {
		case v.Secret != nil:
			sources[v.Name] = "secret"
		case v.EmptyDir != nil && v.EmptyDir.Medium == corev1.StorageMediumMemory:
			sources[v.Name] = "memory"
		default:
			sources[v.Name] = "volume"
		}
	}
	var before []string
	for _, c := range pod.InitContainers {
		before = append(before, c.Command...)
	}
	for _, c := range pod.Containers {
		out := container{File: file, Name: c.Name, Args: c.Args, Env: make(map[string]string), Before: before,
			Probes: podProbes(c)}
		if pod.SecurityContext != nil && pod.SecurityContext.RunAsUser != nil {
			out.User = *pod.SecurityContext.RunAsUser
		}
		if s := c.SecurityContext; s != nil && s.ReadOnlyRootFilesystem != nil {
			out.ReadOnlyRoot = *s.ReadOnlyRootFilesystem
		}
		for _, e := range c.Env {
			out.Env[e.Name] = e.Value
		}
		for _, m := range c.VolumeMounts {
			out.Mounts = append(out.Mounts, mount{Path: m.MountPath, Source: sources[m.Name], ReadOnly: m.ReadOnly})
		}
		list = append(list, out)
	}
	return list
}

// podProbes returns the probes of a container, with the defaults that Kubernetes gives them.
func podProbes(c corev1.Container) map[string]probe {
	probes := make(map[string]probe)
	for name, p := range map[string]*corev1.Probe{"startup": c.StartupProbe, "liveness": c.LivenessProbe,
		"readiness": c.ReadinessProbe} {
		if p == nil || p.HTTPGet == nil {
			continue
		}
		port := p.HTTPGet.Port.IntVal
		for _, named := range c.Ports {
			if named.Name == p.HTTPGet.Port.StrVal {
				port = named.ContainerPort
			}
		}
		orDefault := func(value, otherwise int32) int32 {
			if value == 0 {
				return otherwise
			}
			return value
		}
		probes[name] = probe{Port: port, Path: p.HTTPGet.Path, Period: orDefault(p.PeriodSeconds, 10),
			Timeout: orDefault(p.TimeoutSeconds, 1), Failures: orDefault(p.FailureThreshold, 3)}
	}
	return probes
}
