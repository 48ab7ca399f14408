package payload

import (
	"errors"
	"strings"
	"testing"
)

// No way to make the library panic is known, so this looks at the guard itself.
func TestPanicOfTheLibraryIsAnError(t *testing.T) {
	t.Parallel()
	err := guarded(func() error { panic(errors.New("index\nout of range")) })
	if err == nil || !strings.HasSuffix(err.Error(), `index\u000aout of range`) {
		t.Errorf("got %v", err)
	}
}
