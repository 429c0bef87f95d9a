package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// kinds are the objects that a manifest may have.
var kinds = map[string]func() any{
	"apps/v1 Deployment":                 func() any { return new(appsv1.Deployment) },
	"batch/v1 CronJob":                   func() any { return new(batchv1.CronJob) },
	"v1 Service":                         func() any { return new(corev1.Service) },
	"policy/v1 PodDisruptionBudget":      func() any { return new(policyv1.PodDisruptionBudget) },
	"networking.k8s.io/v1 NetworkPolicy": func() any { return new(networkingv1.NetworkPolicy) },
}

// readKubernetes returns the containers of a manifest, and a line that counts its objects.
func readKubernetes(file string) (list []container, count string, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, "", err
	}
	documents := yamlutil.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	n := 0
	for {
		doc, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return list, fmt.Sprintf("%s: %d objects\n", file, n), nil
		}
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", file, err)
		}
		object, err := decode(doc)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", file, err)
		}
		switch o := object.(type) {
		case *appsv1.Deployment:
			list = append(list, podContainers(file, o.Spec.Template.Spec)...)
		case *batchv1.CronJob:
			list = append(list, podContainers(file, o.Spec.JobTemplate.Spec.Template.Spec)...)
		}
		n++
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
