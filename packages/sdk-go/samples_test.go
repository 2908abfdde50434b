package karat_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The samples of the reference and the guides work, and print what those of the other SDKs do.
func TestSamplesRunAsOneProgram(t *testing.T) {
	program := filepath.Join(t.TempDir(), "samples")
	if printed, err := exec.Command("go", "build", "-o", program, "./samples").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	printed := withSpareWallet(t, program)
	patterns := strings.Split(strings.TrimSpace(string(must(os.ReadFile("../sdk/samples/printed.txt"))(t))), "\n")
	for line := range strings.Lines(printed) {
		if len(patterns) > 0 && regexp.MustCompile("^"+patterns[0]+"$").MatchString(strings.TrimSpace(line)) {
			patterns = patterns[1:]
		}
	}
	if len(patterns) > 0 {
		t.Errorf("the samples printed no %s:\n%s", patterns[0], printed)
	}
}
