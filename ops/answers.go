package ops

import (
	"maps"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// An answerKind is what the labels of an answer are made of.
type answerKind struct {
	surface, method string
	status          int
}

// answerSeries are the series of a kind of answer.
type answerSeries struct {
	requests prometheus.Counter
	latency  prometheus.Observer
	bytes    prometheus.Counter
}

// answers counts the answers to requests. It keeps the series of the kinds that have occurred: to find them by their labels takes longer than
// to count.
type answers struct {
	requests *prometheus.CounterVec   // surface, method, code
	latency  *prometheus.HistogramVec // surface
	bytes    *prometheus.CounterVec   // surface

	mu    sync.Mutex                                  // held to replace known
	known atomic.Pointer[map[answerKind]answerSeries] // never written to, so that it is read without a lock
}

// count counts an answer.
func (a *answers) count(k answerKind, bytes int64, took time.Duration) {
	var s answerSeries
	ok := false
	if known := a.known.Load(); known != nil {
		s, ok = (*known)[k]
	}
	if !ok {
		s = a.add(k)
	}
	s.requests.Inc()
	s.latency.Observe(took.Seconds())
	s.bytes.Add(float64(bytes))
}

// add adds a kind of answer. There are as many as there are statuses of each surface and method.
func (a *answers) add(k answerKind) answerSeries {
	s := answerSeries{
		a.requests.WithLabelValues(k.surface, k.method, strconv.Itoa(k.status)),
		a.latency.WithLabelValues(k.surface),
		a.bytes.WithLabelValues(k.surface),
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	next := make(map[answerKind]answerSeries)
	if known := a.known.Load(); known != nil {
		maps.Copy(next, *known)
	}
	next[k] = s
	a.known.Store(&next)
	return s
}
