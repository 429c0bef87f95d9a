package parttest

import (
	"errors"
	"testing"
)

// TestOnNextPage: only what failed because the page was going is done again, and not for ever.
func TestOnNextPage(t *testing.T) {
	gone, other := errors.New("Cannot find context with specified id (-32000)"), errors.New("the page lacks a button")
	for name, tt := range map[string]struct {
		errs []error
		want error
		runs int
	}{
		"the page is there": {[]error{nil}, nil, 1},
		"it is going":       {[]error{gone, gone, nil}, nil, 3},
		"another fault":     {[]error{other, nil}, other, 1},
		"it goes on going":  {[]error{gone, gone, gone, gone, gone, gone, gone, gone, gone, gone, nil}, gone, 10},
	} {
		runs := 0
		err := OnNextPage(func() error { runs++; return tt.errs[runs-1] })
		if err != tt.want || runs != tt.runs {
			t.Errorf("%s: %v after %d runs, want %v after %d", name, err, runs, tt.want, tt.runs)
		}
	}
}
