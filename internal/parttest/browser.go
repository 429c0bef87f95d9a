package parttest

import "strings"

// OnNextPage does something on the page of a browser, and does it again if that page was giving way to the next.
func OnNextPage(do func() error) (err error) {
	for range 10 {
		if err = do(); err == nil || !isGone(err) {
			return err
		}
	}
	return err
}

// isGone reports whether a browser says that the page is not there any more (Chrome DevTools Protocol,
// Runtime.evaluate).
func isGone(err error) bool {
	for _, text := range [...]string{"Cannot find context", "context was destroyed", "Inspected target navigated or closed"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}
