// Package ops measures, logs and limits the requests to the service.
//
// It wraps the other packages, and none of them knows it: requests are measured by middleware, the ledger and the node
// through wrappers of their interfaces. Nothing it writes holds a secret or a query: of a request it keeps method,
// path, status, size, duration and the network it came from.
package ops

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"go.almanac.example/l402"
)

// latencyBuckets are in seconds, from an answer out of memory to the timeouts of clients.
var latencyBuckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// Metrics are the measurements of one process.
type Metrics struct {
	registry *prometheus.Registry
	now      func() time.Time
	requests *prometheus.CounterVec   // surface, method, code
	latency  *prometheus.HistogramVec // surface
	bytes    *prometheus.CounterVec   // surface

	inFlight prometheus.Gauge
	limited  prometheus.Counter
	tools    *prometheus.CounterVec // method, tool, outcome
	refused  prometheus.Counter
	full     prometheus.Counter

	challenges prometheus.Counter
	purchases  prometheus.Counter
	credits    prometheus.Counter
	sats       prometheus.Counter
	refunds    prometheus.Counter
	ledger     *prometheus.HistogramVec // operation, outcome
	node       *prometheus.HistogramVec // operation, outcome
	nodeUp     *prometheus.GaugeVec     // without labels, so that there is no series while there is no node

	certificate *prometheus.GaugeVec // likewise: without TLS there is none
	ledgerUp    *prometheus.GaugeVec // likewise
	selling     *prometheus.GaugeVec // likewise
	probes      prometheus.Counter

	reloads   *prometheus.CounterVec // outcome
	generated prometheus.Gauge
	entries   prometheus.Gauge
	data      *prometheus.GaugeVec // sum
}

// NewMetrics returns the metrics of a process of the given version.
func NewMetrics(version string, now func() time.Time) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), now: now}
	m.requests = m.counters("almanac_requests_total", "Requests answered, by surface, method and status.", "surface", "method", "code")
	m.latency = m.histograms("almanac_request_seconds", "Duration of requests, by surface.", "surface")
	m.bytes = m.counters("almanac_response_bytes_total", "Bytes of response bodies, by surface.", "surface")
	m.inFlight = m.gauge("almanac_requests_in_flight", "Requests being answered.")
	m.limited = m.counter("almanac_rate_limited_total", "Requests to the free surfaces refused because of their network's rate.")
	m.tools = m.counters("almanac_mcp_requests_total",
		"Requests to the tool server, by method, tool and outcome: ok, failed, refused or error.", "method", "tool", "outcome")
	m.refused = m.counter("almanac_connections_refused_total", "Connections closed for others, because their network had its share or most of them.")
	m.full = m.counter("almanac_connections_full_total",
		"Times that a listener had all the connections that it may, so that one gave way or others waited.")
	m.challenges = m.counter("almanac_invoices_total", "Invoices that the node made for challenges.")
	m.purchases = m.counter("almanac_purchases_total", "Payments whose first credit was spent.")
	m.sats = m.counter("almanac_sold_satoshis_total", "Satoshis of the payments whose first credit was spent.")
	m.credits = m.counter("almanac_credits_spent_total", "Credits spent; a request repeated under its name counts again.")
	m.refunds = m.counter("almanac_credits_refunded_total", "Credits returned for requests that failed.")
	m.ledger = m.histograms("almanac_ledger_seconds", "Duration of calls to the ledger, by operation and outcome.", "operation", "outcome")
	m.node = m.histograms("almanac_node_seconds", "Duration of calls to the Lightning node, by operation and outcome.",
		"operation", "outcome")
	m.nodeUp = m.gauges("almanac_node_up", "1 if the Lightning node answered when last asked, 0 otherwise.")
	m.certificate = m.gauges("almanac_certificate_expiry_timestamp_seconds", "When the certificate that is shown ends.")
	m.ledgerUp = m.gauges("almanac_ledger_up", "1 if the ledger could count credits when last asked, 0 otherwise.")
	m.probes = m.counter("almanac_probes_total", "Times that the node and the ledger were asked whether they work.")
	m.selling = m.gauges("almanac_selling", "1 while searches are sold: the node answers and the ledger counts credits.")
	m.reloads = m.counters("almanac_reloads_total",
		"Loads of the data, by outcome: ok, or error when the data or the certificate could not be loaded.", "outcome")
	// a counter that appears with 1 has not increased, and no alert would see the first failure
	m.reloads.WithLabelValues("error")
	m.generated = m.gauge("almanac_data_generated_timestamp_seconds",
		"generated_at of the documents being served; the age of the data is time() minus this.")
	m.entries = m.gauge("almanac_data_entries", "Library entries being served.")
	m.data = m.gauges("almanac_data_info", "1, with a sum of the files being served as a label.", "sum")
	m.gauges("almanac_build_info", "1, with the version as a label.", "version").WithLabelValues(version).Set(1)
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// ToolCalled counts a request to the tool server. The labels must not be a client's own words.
func (m *Metrics) ToolCalled(method, tool, outcome string) {
	m.tools.WithLabelValues(method, tool, outcome).Inc()
}

func (m *Metrics) counter(name, help string) prometheus.Counter {
	return promauto.With(m.registry).NewCounter(prometheus.CounterOpts{Name: name, Help: help})
}

func (m *Metrics) gauge(name, help string) prometheus.Gauge {
	return promauto.With(m.registry).NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
}

func (m *Metrics) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	return promauto.With(m.registry).NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

func (m *Metrics) counters(name, help string, labels ...string) *prometheus.CounterVec {
	return promauto.With(m.registry).NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func (m *Metrics) histograms(name, help string, labels ...string) *prometheus.HistogramVec {
	return promauto.With(m.registry).NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: latencyBuckets}, labels)
}

// Handler serves the metrics to Prometheus.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}

// Loaded records that data are served from now on, which were read from files with a sum.
func (m *Metrics) Loaded(entries int, generated time.Time, sum uint64) {
	m.reloads.WithLabelValues("ok").Inc()
	m.generated.Set(seconds(generated))
	m.entries.Set(float64(entries))
	m.data.Reset()
	m.data.WithLabelValues(strconv.FormatUint(sum, 16)).Set(1)
}

// Probed records whether the ledger can count credits, and whether searches are sold, which the node must allow as
// well.
func (m *Metrics) Probed(ledgerUp, selling bool) {
	m.ledgerUp.WithLabelValues().Set(number(ledgerUp))
	m.selling.WithLabelValues().Set(number(selling))
	m.probes.Inc()
}

// CertificateExpiry records when the certificate that is shown ends.
func (m *Metrics) CertificateExpiry(t time.Time) { m.certificate.WithLabelValues().Set(seconds(t)) }

// ConnectionRefused records a connection that was closed for another.
func (m *Metrics) ConnectionRefused() { m.refused.Inc() }

// ConnectionsFull records that a listener had all the connections that it may.
func (m *Metrics) ConnectionsFull() { m.full.Inc() }

// CountDropped publishes the number of lines that the log dropped.
func (m *Metrics) CountDropped(lines func() int64) {
	promauto.With(m.registry).NewCounterFunc(prometheus.CounterOpts{Name: "almanac_log_lines_dropped_total",
		Help: "Lines of the log that were dropped, because nothing read it."}, func() float64 { return float64(lines()) })
}

// LoadFailed records that data or a certificate could not be loaded.
func (m *Metrics) LoadFailed() { m.reloads.WithLabelValues("error").Inc() }

// number returns 1 for true and 0 for false.
func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// Ledger returns l with its calls measured.
func (m *Metrics) Ledger(l l402.Ledger) l402.Ledger {
	for _, operation := range []string{"spend", "refund", "account", "ready"} {
		m.ledger.WithLabelValues(operation, "error") // see NewMetrics
	}
	return &measuredLedger{l, m}
}

type measuredLedger struct {
	l402.Ledger
	m *Metrics
}

// Spend implements l402.Ledger. A serial of 1 is the first credit ever spent of a payment.
func (l *measuredLedger) Spend(ctx context.Context, d l402.Debit) (r l402.Receipt, err error) {
	defer l.m.begin(l.m.ledger, "spend")(&err)
	if r, err = l.Ledger.Spend(ctx, d); err == nil {
		l.m.credits.Inc()
		if r.Serial == 1 && d.Sale.Kind != l402.SaleGranted {
			l.m.purchases.Inc()
			l.m.sats.Add(float64(d.Sale.PriceSats))
		}
	}
	return r, err
}

// Refund implements l402.Ledger.
func (l *measuredLedger) Refund(ctx context.Context, r l402.Receipt) (err error) {
	defer l.m.begin(l.m.ledger, "refund")(&err)
	if err = l.Ledger.Refund(ctx, r); err == nil {
		l.m.refunds.Inc()
	}
	return err
}

// Account implements l402.Ledger.
func (l *measuredLedger) Account(ctx context.Context, hash lntypes.Hash) (a l402.Account, err error) {
	defer l.m.begin(l.m.ledger, "account")(&err)
	return l.Ledger.Account(ctx, hash)
}

// Ready implements l402.Ledger.
func (l *measuredLedger) Ready(ctx context.Context) (err error) {
	defer l.m.begin(l.m.ledger, "ready")(&err)
	return l.Ledger.Ready(ctx)
}

// Node returns n with its calls measured.
func (m *Metrics) Node(n l402.Invoicer) l402.Invoicer { return &measuredNode{n, m} }

type measuredNode struct {
	l402.Invoicer
	m *Metrics
}

// AddInvoice implements l402.Invoicer.
func (n *measuredNode) AddInvoice(ctx context.Context, req l402.InvoiceRequest) (inv l402.Invoice, err error) {
	defer n.m.begin(n.m.node, "invoice")(&err)
	if inv, err = n.Invoicer.AddInvoice(ctx, req); err == nil {
		n.m.challenges.Inc()
	}
	return inv, err
}

// Ready implements l402.Invoicer.
func (n *measuredNode) Ready(ctx context.Context) (err error) {
	defer n.m.begin(n.m.node, "ready")(&err)
	err = n.Invoicer.Ready(ctx)
	n.m.nodeUp.WithLabelValues().Set(number(err == nil))
	return err
}

// begin starts measuring a call; the function it returns ends it.
func (m *Metrics) begin(h *prometheus.HistogramVec, operation string) (end func(*error)) {
	began := m.now()
	return func(err *error) {
		h.WithLabelValues(operation, outcome(*err)).Observe(m.now().Sub(began).Seconds())
	}
}

// outcome returns the outcome label of a call: a refusal because of the credits is not a failure of the ledger, and
// errors that name their own outcome, as those of package lnd do, keep it.
func outcome(err error) string {
	var named interface{ Outcome() string }
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &named):
		return named.Outcome()
	case errors.Is(err, l402.ErrExhausted), errors.Is(err, l402.ErrBudgetExhausted), errors.Is(err, l402.ErrTooManyBranches),
		errors.Is(err, l402.ErrRepeated), errors.Is(err, l402.ErrRevoked), errors.Is(err, l402.ErrExpired),
		errors.Is(err, l402.ErrUnknownAccount):
		return "refused"
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	return "error"
}

// count counts an answer.
func (m *Metrics) count(surface, method string, status int, bytes int64, took time.Duration) {
	m.requests.WithLabelValues(surface, method, strconv.Itoa(status)).Inc()
	m.latency.WithLabelValues(surface).Observe(took.Seconds())
	m.bytes.WithLabelValues(surface).Add(float64(bytes))
}
