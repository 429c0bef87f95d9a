// Command check reads the compose file and the Kubernetes manifest as their own tools do, strictly: an unknown key, a wrong type
// or a reference to something that is not there is an error. It is a module of its own so that the service
// does not depend on what it needs.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
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
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: check compose.yaml kubernetes.yaml…")
		os.Exit(2)
	}
	err := checkCompose(os.Args[1])
	for _, manifest := range os.Args[2:] {
		err = errors.Join(err, checkKubernetes(manifest))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func checkCompose(path string) error {
	options, err := cli.NewProjectOptions([]string{path}, cli.WithEnv([]string{"ALMANAC_DOMAIN=example.org"}))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	fmt.Printf("%s: %d services, %d networks, %d volumes, %d secrets\n", path,
		len(project.Services), len(project.Networks), len(project.Volumes), len(project.Secrets))
	return nil
}

// kinds are the objects the manifest may hold.
var kinds = map[string]func() any{
	"apps/v1 Deployment":                 func() any { return new(appsv1.Deployment) },
	"batch/v1 CronJob":                   func() any { return new(batchv1.CronJob) },
	"v1 Service":                         func() any { return new(corev1.Service) },
	"policy/v1 PodDisruptionBudget":      func() any { return new(policyv1.PodDisruptionBudget) },
	"networking.k8s.io/v1 NetworkPolicy": func() any { return new(networkingv1.NetworkPolicy) },
}

func checkKubernetes(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	documents := yamlutil.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	n := 0
	for {
		doc, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		var head metav1.TypeMeta
		if err := yaml.Unmarshal(doc, &head); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		name := head.APIVersion + " " + head.Kind
		make, ok := kinds[name]
		if !ok {
			return fmt.Errorf("%s: %q is not a kind that this manifest should contain", path, name)
		}
		if err := yaml.UnmarshalStrict(doc, make()); err != nil {
			return fmt.Errorf("%s: %s: %w", path, name, err)
		}
		n++
	}
	fmt.Printf("%s: %d objects\n", path, n)
	return nil
}
