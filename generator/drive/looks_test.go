package drive_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	domains "github.com/changesetgen/changesetgen/testdata/golden/observe_go_shapes/want"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// zone is a zone of a name server as the hand-written looks and bodies see it.
type zone struct {
	record  target[domains.PutRecordPayload, domains.RecordState]
	records target[domains.ClearZonePayload, domains.RecordsState]
	domain  target[domains.RegisterDomainPayload, domains.RegisterDomainState]
	name    target[domains.RenameZonePayload, domains.RenameZoneState]
}

func (z *zone) ObservePutRecord(context.Context, *domains.PutRecordPayload) (*domains.RecordState, error) {
	return z.record.observe()
}

func (z *zone) ApplyPutRecord(_ context.Context, c *domains.PutRecordChange) error {
	return z.record.apply(c.Payload, &domains.RecordState{Value: c.Payload.Value})
}

func (z *zone) UndoPutRecord(_ context.Context, c *domains.PutRecordApplied) error {
	return z.record.undo(c.Before)
}

func (z *zone) ObserveClearZone(context.Context, *domains.ClearZonePayload) (*domains.RecordsState, error) {
	return z.records.observe()
}

func (z *zone) ApplyClearZone(_ context.Context, c *domains.ClearZoneChange) error {
	return z.records.apply(c.Payload, nil)
}

func (z *zone) UndoClearZone(_ context.Context, c *domains.ClearZoneApplied) error {
	return z.records.undo(c.Before)
}

func (z *zone) ObserveRegisterDomain(context.Context, *domains.RegisterDomainPayload) (*domains.RegisterDomainState, error) {
	return z.domain.observe()
}

func (z *zone) ObserveAfterRegisterDomain(_ context.Context, _ *domains.RegisterDomainPayload, r *domains.RegisterDomainResult) (*domains.RegisterDomainState, error) {
	if r.ID != 7 {
		return nil, errors.New("a look by another id")
	}
	return z.domain.observe()
}

func (z *zone) ApplyRegisterDomain(_ context.Context, c *domains.RegisterDomainChange) (*domains.RegisterDomainResult, error) {
	return &domains.RegisterDomainResult{ID: 7}, z.domain.apply(c.Payload, &domains.RegisterDomainState{ID: 7, Name: c.Payload.Name})
}

func (z *zone) UndoRegisterDomain(_ context.Context, c *domains.RegisterDomainApplied) error {
	return z.domain.undo(c.Before)
}

func (z *zone) ObserveRenameZone(_ context.Context, p *domains.RenameZonePayload) (*domains.RenameZoneState, error) {
	return z.named(p.Name)
}

func (z *zone) ObserveAfterRenameZone(_ context.Context, p *domains.RenameZonePayload) (*domains.RenameZoneState, error) {
	return z.named(p.NewName)
}

// named finds the zone under its name only.
func (z *zone) named(name string) (*domains.RenameZoneState, error) {
	s, err := z.name.observe()
	if s == nil || s.Name != name {
		return nil, err
	}
	return s, err
}

func (z *zone) ApplyRenameZone(_ context.Context, c *domains.RenameZoneChange) error {
	return z.name.apply(c.Payload, &domains.RenameZoneState{Name: c.Payload.NewName})
}

func (z *zone) UndoRenameZone(_ context.Context, c *domains.RenameZoneApplied) error {
	return z.name.undo(c.Before)
}

func startZone(t *testing.T) (*world, *zone) {
	z := &zone{}
	return start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
		return domains.Register(server, guard, domains.Config{Operations: z})
	}), z
}

func TestHandWrittenLooksFindNothingOneOrMany(t *testing.T) {
	t.Parallel()
	w, z := startZone(t)
	put := trip{operation: "put_record", summary: "Put www", payload: `{"name":"www","value":"1"}`, diff: []row{{"value", "", `"1"`}}}
	put.make(t, w, z.record.now, z.record.lastGiven)
	z.record.state = []byte(`{"value":"0"}`)
	put.diff = []row{{"value", `"0"`, `"1"`}}
	put.make(t, w, z.record.now, z.record.lastGiven)

	if got := w.call(t, "preview_clear_zone", `{"zone":"z"}`); got.Code != "not_found" {
		t.Errorf("no records: %+v, want not_found", got)
	}
	z.records.state = []byte(`[{"name":"a"},{"name":"b","ttl":9007199254740993}]`)
	trip{
		operation: "clear_zone", summary: "Clear z", payload: `{"zone":"z"}`, diff: []row{{"records", z.records.now(), ""}},
	}.make(t, w, z.records.now, z.records.lastGiven)
}

func TestHandWrittenLooksAfterApplyFindWhatWasMade(t *testing.T) {
	t.Parallel()
	w, z := startZone(t)
	applied, _ := trip{
		operation: "register_domain", summary: "Register d", payload: `{"name":"d"}`, diff: []row{{"id", "", ""}, {"name", "", `"d"`}},
	}.make(t, w, z.domain.now, z.domain.lastGiven)
	if diff := cmp.Diff(`{"id":7}`, string(applied.Result)); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	z.domain.state = []byte(`{"id":1,"name":"d"}`)
	if got := w.call(t, "preview_register_domain", `{"name":"d"}`); got.Code != "already_exists" {
		t.Errorf("a domain that is there: %+v, want already_exists", got)
	}
	z.name.state = []byte(`{"name":"old"}`)
	trip{
		operation: "rename_zone", summary: "Rename old", payload: `{"name":"old","new_name":"new"}`, diff: []row{{"name", `"old"`, `"new"`}},
	}.make(t, w, z.name.now, z.name.lastGiven)
}
