package httpmirror

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/internal/parttest"
)

// pageKinds returns paths of every kind of page: the first and the last of those with a page for each record, and some with what
// others do not have.
func pageKinds(m *Mirror) []string {
	kinds := []string{catalog.ProtocolPath("x402"), catalog.ProtocolPath("ap2"), catalog.HistoryDayPath("2020-02-29"), catalog.FindPath + "?q=lightning"}
	for _, k := range m.renderer.kinds {
		f, ok := k.form(file.HTML)
		if !ok {
			continue
		}
		ids := k.list(m.cat)
		kinds = append(kinds, f.pathOf(ids[0]), f.pathOf(ids[len(ids)-1]))
	}
	for _, d := range m.cat.Datasets() {
		kinds = append(kinds, catalog.DatasetPath(d.ID))
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// timeout is how long the browser may take for a step on a machine that has other things to do.
const timeout = 5 * time.Minute

// A browser is a tab of Debian's Chromium without a window, which takes a third less processor time than with one.
type browser struct {
	ctx context.Context

	mu         sync.Mutex
	complaints []string // exceptions, console errors, missing resources, violations of the policy
}

// unpainted has a browser lay pages out and paint none, which takes a fifth of its time. Input would wait for a frame.
var unpainted = chromedp.Flag("enable-begin-frame-control", true)

func newBrowser(t *testing.T, options ...chromedp.ExecAllocatorOption) *browser {
	t.Helper()
	path := parttest.Program(t, "chromium-headless-shell", "setup-pages.sh")
	options = append(options, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options,
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-background-networking", true), chromedp.UserDataDir(t.TempDir()),
		chromedp.WSURLReadTimeout(timeout),
	)
	ctx, stop := context.WithTimeout(context.Background(), 4*timeout)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	b := &browser{ctx: ctx}
	go b.listen(chromedp.Console(ctx))
	return b
}

func (b *browser) listen(messages func(func(chromedp.ConsoleMessage, error) bool)) {
	for m, err := range messages {
		if err != nil {
			return // the browser was closed
		}
		if m.IsException() || m.Type == "error" || m.Type == "warning" {
			b.mu.Lock()
			b.complaints = append(b.complaints, m.String()+" "+m.URL)
			b.mu.Unlock()
		}
	}
}

// heard returns what the browser complained of since the last call.
func (b *browser) heard() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.complaints
	b.complaints = nil
	return list
}

// open shows a page at a width in a colour scheme.
func (b *browser) open(t *testing.T, url string, width int64, scheme string) {
	t.Helper()
	b.paint(t, scheme)
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 800), chromedp.Navigate(url)); err != nil {
		t.Fatalf("open %s: %v", url, err)
	}
	b.waitFor(t, `document.readyState === "complete"`, "location.href") // a load event can be that of the page before
}

// paint shows the page in a colour scheme.
func (b *browser) paint(t *testing.T, scheme string) {
	t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	if err != nil {
		t.Fatalf("emulate %s: %v", scheme, err)
	}
}

func evaluate[T any](t *testing.T, b *browser, expression string, options ...chromedp.EvaluateOption) T {
	t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, options...))
	if err != nil {
		t.Fatalf("evaluate: %v", err)
	}
	return v
}

// waitFor waits until an expression holds, and shows what state shows when it does not.
func (b *browser) waitFor(t *testing.T, expression, state string) {
	t.Helper()
	err := parttest.OnNextPage(func() error {
		_, err := chromedp.Run(b.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(timeout)))
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v; there is %s", expression, err, evaluate[string](t, b, state))
	}
}

// An axeViolation is a rule of axe-core that a page breaks.
type axeViolation struct {
	ID, Help string
	Nodes    []struct{ HTML, FailureSummary string }
}

// runAxe applies every rule of axe-core: the success criteria of WCAG 2.2 up to AA, of which the target size is off by default, and
// its best practices.
const runAxe = `axe.run(document, {resultTypes: ["violations"], rules: {"target-size": {enabled: true}}}).then(r =>
	r.violations.map(v => ({ID: v.id, Help: v.help, Nodes: v.nodes.map(n => ({HTML: n.html, FailureSummary: n.failureSummary}))})))`

// missingPicture loads every picture, also those that a page loads when they come into sight.
const missingPicture = `Promise.all([...document.images].map(i => (i.loading = "eager", i.complete || new Promise(r => i.onload = i.onerror = r)))).then(
	() => [...document.images].some(i => !i.naturalWidth))`

// TestBrowser opens every kind of page in Chromium, light and dark, on phones, a tablet and a desk. It holds that the browser has
// nothing to complain of, that no page scrolls sideways, that every picture loads, and that axe-core finds nothing.
func TestBrowser(t *testing.T) {
	m := realMirror(t)
	b := newBrowser(t, unpainted)
	b.inspect(t, m, pageKinds(m)...)
	b.inspect(t, donationsMirror(t), catalog.SupportPath)
}

// inspect holds pages of a mirror to what TestBrowser says.
func (b *browser) inspect(t *testing.T, m *Mirror, paths ...string) {
	t.Helper()
	axe, err := os.ReadFile(pageTools(t, "axe-core/axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(m)
	defer server.Close()
	for _, path := range paths {
		for _, width := range []int64{320, 390, 768, 1280, 1920} {
			b.open(t, server.URL+path, width, "light")
			if wide := evaluate[int64](t, b, "document.documentElement.scrollWidth"); wide > width {
				t.Errorf("%s at %d px: is %d px wide", path, width, wide)
			}
			if evaluate[bool](t, b, missingPicture, chromedp.EvalAwaitPromise) {
				t.Errorf("%s at %d px: a picture does not load", path, width)
			}
			if width > 1280 {
				continue // as at 1280
			}
			evaluate[any](t, b, string(axe)+`;document.querySelectorAll("details").forEach(d => d.open = true), 0`) // what is folded has targets too
			for _, scheme := range []string{"light", "dark"} {
				b.paint(t, scheme)
				at := fmt.Sprintf("%s at %d px, %s", path, width, scheme)
				for _, v := range evaluate[[]axeViolation](t, b, runAxe, chromedp.EvalAwaitPromise) {
					t.Errorf("%s: %s: %s: %d times, such as %s: %s", at, v.ID, v.Help, len(v.Nodes), v.Nodes[0].HTML, v.Nodes[0].FailureSummary)
				}
				for _, complaint := range b.heard() {
					t.Errorf("%s: %s", at, complaint)
				}
			}
		}
	}
}

// TestFilter types into the filter of a list.
func TestFilter(t *testing.T) {
	server := httptest.NewServer(realMirror(t))
	defer server.Close()
	b := newBrowser(t)
	b.open(t, server.URL+catalog.CategoryPath("bitcoin-lightning"), 1280, "light")
	const shown = `[...document.querySelectorAll("[data-filter] li")].filter(li => !li.hidden).length`
	all := evaluate[int](t, b, shown)
	if err := chromedp.Do(b.ctx, chromedp.SendKeys(".filter input", "macaroon")); err != nil {
		t.Fatal(err)
	}
	b.waitFor(t, `document.querySelector(".filter input").value == "macaroon"`, `document.querySelector(".filter input").value`)
	some := evaluate[int](t, b, shown)
	if some == 0 || some >= all {
		t.Errorf("of %d sources %d are shown for macaroon", all, some)
	}
	if got, want := evaluate[string](t, b, `document.querySelector("output").textContent`), fmt.Sprintf("%d of %d", some, all); got != want {
		t.Errorf("the filter says %q, want %q", got, want)
	}
}

// TestCopy presses the first button that copies.
func TestCopy(t *testing.T) {
	server := httptest.NewServer(donationsMirror(t))
	defer server.Close()
	b := newBrowser(t)
	b.open(t, server.URL+catalog.SupportPath, 390, "light")
	// What the button says lasts for a second and a half, so the page keeps it.
	const keep = `said = "", new MutationObserver(changes => said += changes.map(c => c.target.textContent)).observe(document.querySelector("code.all + button"), {childList: true}), 0`
	evaluate[int](t, b, keep)
	if err := chromedp.Do(b.ctx, chromedp.Click("code.all + button")); err != nil {
		t.Fatal(err)
	}
	b.waitFor(t, `/Copied|Selected/.test(said)`, "said")
	if !evaluate[bool](t, b, `getSelection().toString() == document.querySelector("code.all").textContent`) {
		t.Error("the text is not selected")
	}
	for _, complaint := range b.heard() {
		t.Error(complaint)
	}
}

// TestKeyboard walks into a page by keyboard: the first stop is the link past the navigation,
// which then shows, and a table that scrolls is a stop of its own.
func TestKeyboard(t *testing.T) {
	server := httptest.NewServer(realMirror(t))
	defer server.Close()
	b := newBrowser(t)
	b.open(t, server.URL+catalog.DatasetPath("library"), 390, "light")
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Tab)); err != nil {
		t.Fatal(err)
	}
	const skipShows = `document.activeElement.className == "skip" && document.activeElement.getBoundingClientRect().left >= 0`
	if !evaluate[bool](t, b, skipShows) {
		t.Error("the first stop is not the link past the navigation")
	}
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Enter)); err != nil {
		t.Fatal(err)
	}
	b.waitFor(t, `location.hash == "#main"`, "location.hash")
	const unreachable = `[...document.querySelectorAll("*")].filter(e => e.scrollWidth > e.clientWidth && /auto|scroll/.test(getComputedStyle(e).overflowX) && e.tabIndex < 0 && !e.querySelector("a")).length` // links are stops
	if n := evaluate[int](t, b, unreachable); n > 0 {
		t.Errorf("%d parts scroll and cannot be reached by keyboard", n)
	}
}

// TestMenu opens the sections on a phone by keyboard and without a script: all of them come into sight, and the header is as high on every page.
func TestMenu(t *testing.T) {
	server := httptest.NewServer(realMirror(t))
	defer server.Close()
	b := newBrowser(t)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	heights := make(map[float64]bool)
	for _, path := range []string{catalog.HomePath, catalog.NewsPath, catalog.FindPath} {
		b.open(t, server.URL+path, 390, "light")
		heights[evaluate[float64](t, b, `document.querySelector(".mast").getBoundingClientRect().height`)] = true
		const inSight = `[...document.querySelectorAll(".mast nav a")].filter(a => a.checkVisibility() && a.getBoundingClientRect().right < innerWidth && a.getBoundingClientRect().bottom < innerHeight).length`
		if n := evaluate[int](t, b, inSight+` + (document.querySelector(".menu").focus(), 0)`); n != 0 {
			t.Errorf("%s: %d sections show before the menu is open", path, n)
		}
		if err := chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Enter)); err != nil {
			t.Fatal(err)
		}
		b.waitFor(t, inSight+` >= 8`, inSight+` + " sections"`)
	}
	if len(heights) != 1 {
		t.Errorf("the header has the heights %v", heights)
	}
}

// TestScreenshots writes pictures of every kind of page into the folder that ALMANAC_SHOTS names;
// ALMANAC_SHOTS_ONLY picks those whose name holds a text.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("ALMANAC_SHOTS")
	if dir == "" {
		t.Skip("ALMANAC_SHOTS names no folder for the pictures")
	}
	m := realMirror(t)
	server := httptest.NewServer(m)
	defer server.Close()
	b := newBrowser(t)
	for _, path := range pageKinds(m) {
		for _, width := range []int64{390, 1280} {
			for _, scheme := range []string{"light", "dark"} {
				name := fmt.Sprintf("home%s-%s-%d.png", strings.ReplaceAll(strings.TrimSuffix(path, "/"), "/", "_"), scheme, width)
				if !strings.Contains(name, os.Getenv("ALMANAC_SHOTS_ONLY")) {
					continue
				}
				b.open(t, server.URL+path, width, scheme)
				height := evaluate[int64](t, b, "Math.min(document.documentElement.scrollHeight, 5000)")
				if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, height)); err != nil {
					t.Fatal(err)
				}
				picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), picture, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
