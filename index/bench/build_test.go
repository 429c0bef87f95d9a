package bench

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkBuild measures one build of each engine at every size: the processor time for a document, and the
// most memory that the process and its heap had meanwhile. The documents themselves are part of both.
func BenchmarkBuild(b *testing.B) {
	for _, s := range strings.Split(*sizes, ",") {
		size, err := strconv.Atoi(s)
		if err != nil {
			b.Fatalf("-sizes: %v", err)
		}
		c := newCorpus(size)
		for _, e := range engines {
			if !isChosen(e.name) {
				continue
			}
			b.Run(fmt.Sprintf("docs=%d/%s", size, e.name), func(b *testing.B) {
				for b.Loop() {
					measureBuild(b, c, e.build)
				}
			})
		}
	}
}

func measureBuild(b *testing.B, c *corpus, build func(*corpus, string) (engine, error)) {
	debug.FreeOSMemory()
	before := memory()
	resetPeak(b)
	stop, peak := make(chan bool), make(chan float64)
	go func() {
		most := 0.0
		for {
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(time.Millisecond):
				most = max(most, memory())
			}
		}
	}()
	start, cpu := time.Now(), cpuTime()
	e, err := build(c, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	cpu, took := cpuTime()-cpu, time.Since(start)
	close(stop)
	b.ReportMetric(float64(cpu.Microseconds())/float64(len(c.entries)), "cpu-µs/doc")
	b.ReportMetric(took.Seconds(), "s")
	b.ReportMetric(before, "documents-MB")
	b.ReportMetric(<-peak, "peak-heap-MB")
	b.ReportMetric(peakRSS(b), "peak-RSS-MB")
	runtime.GC()
	b.ReportMetric(memory()-before, "index-MB")
	e.close()
}

// memory is the memory of objects, reachable or not yet collected, in MB.
func memory() float64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64()) / 1e6
}

// resetPeak sets the peak of the resident memory to what is resident now (proc(5), clear_refs).
func resetPeak(b *testing.B) {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		b.Logf("the peak of the resident memory is that of the whole process: %v", err)
	}
}

// peakRSS is the most memory that was resident, in MB (proc(5), VmHWM).
func peakRSS(b *testing.B) float64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var kb float64
		if n, _ := fmt.Sscanf(s.Text(), "VmHWM: %f kB", &kb); n == 1 {
			return kb / 1e3
		}
	}
	return 0
}
