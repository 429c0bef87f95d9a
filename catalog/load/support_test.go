package load

import (
	"os"
	"strings"
	"testing"

	"go.almanac.example/catalog/catalogtest"
)

// TestSampleAddresses: the sample addresses stand only in a document that calls itself sample data, so that an operator who
// writes texts of their own and forgets an address hears of it.
func TestSampleAddresses(t *testing.T) {
	sample, err := os.ReadFile(fixturesDir + "/" + supportFile)
	if err != nil {
		t.Fatal(err)
	}
	own := strings.NewReplacer("Sample data:", "Donations:", "Sample data,", "Donations,").Replace(string(sample))
	changes := map[string][]byte{supportFile: []byte(own)}
	_, err = Load(catalogtest.Files(t, fixturesDir, changes), catalogtest.Options)
	if err == nil {
		t.Fatal("the sample addresses are accepted under texts of somebody else")
	}
	if n := strings.Count(err.Error(), "is sample data"); n != minMethods {
		t.Errorf("%d of %d sample addresses are reported: %v", n, minMethods, err)
	}
	changes[supportFile] = []byte(strings.Replace(own, sampleAddresses[0], "bc1qqypqxpq9qcrsszg2pvxq6rs0zqg3yyc5fcj4z3", 1))
	_, err = Load(catalogtest.Files(t, fixturesDir, changes), catalogtest.Options)
	if n := strings.Count(err.Error(), "is sample data"); n != minMethods-1 {
		t.Errorf("with one of them replaced, %d are reported: %v", n, err)
	}
}
