package payload_test

import (
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
)

func TestAcceptFillsInDefaultsAndKeepsDigits(t *testing.T) {
	t.Parallel()
	s, err := payload.Compile("test", []byte(`{"type":"object","properties":{"id":{"type":"integer"},"n":{"default":1.0}}}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Accept([]byte(`{"id":9007199254740993}`), exact.DefaultLimits)
	if want := `{"id":9007199254740993,"n":1}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}
