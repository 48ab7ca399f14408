package drive_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	tasks "github.com/changesetgen/changesetgen/testdata/golden/composition/want"
	backups "github.com/changesetgen/changesetgen/testdata/golden/defaults/want"
	reactions "github.com/changesetgen/changesetgen/testdata/golden/go_names/want"
	venues "github.com/changesetgen/changesetgen/testdata/golden/nested/want"
	events "github.com/changesetgen/changesetgen/testdata/golden/open_operation/want"
	regions "github.com/changesetgen/changesetgen/testdata/golden/prefix_items/want"
	orders "github.com/changesetgen/changesetgen/testdata/golden/references/want"
	builds "github.com/changesetgen/changesetgen/testdata/golden/result_kinds/want"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type venueBodies struct {
	target[venues.MoveVenuePayload, venues.VenueState]
	db *sql.DB
}

func (b *venueBodies) ApplyMoveVenue(ctx context.Context, c *venues.MoveVenueChange) error {
	p := c.Payload
	if err := b.apply(p, nil); err != nil {
		return err
	}
	return sqlop.ExecOne(ctx, b.db, `UPDATE venues SET address = ?, hours = coalesce(?, hours) WHERE id = ?`, p.Address, p.Hours, p.ID)
}

func (b *venueBodies) UndoMoveVenue(ctx context.Context, c *venues.MoveVenueApplied) error {
	return sqlop.ExecOne(ctx, b.db, `UPDATE venues SET address = ?, hours = ? WHERE id = ?`, c.Before.Address, c.Before.Hours, c.Payload.ID)
}

func TestPathsGoThroughNestedObjects(t *testing.T) {
	t.Parallel()
	const (
		before = `{"city":"Oslo","position":{"latitude":59.9139,"longitude":10.7522},"street":"A"}`
		after  = `{"city":"Rome","entrance":{"door":{"code":"7"},"floor":-1},"position":{"latitude":41.90000000000000000001,"longitude":12.5},"street":"B"}`
		hours  = `{"mon":[{"from":"08:00","to":"12:00"},{"from":"13:00","to":"17:00"}],"sun":[]}`
	)
	b := &venueBodies{}
	w := start(t, `CREATE TABLE venues (id INTEGER, name TEXT, address TEXT, hours TEXT); INSERT INTO venues VALUES (1, 'Hall', '`+before+`', '{}')`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			b.db = db
			return venues.Register(server, guard, venues.Config{Operations: b, Main: db})
		})
	now := func() string { return w.column(t, `SELECT address || hours FROM venues`) }
	_, written := trip{
		operation: "move_venue", summary: "Move venue 1 to Rome", payload: `{"id":1,"address":` + after + `,"hours":` + hours + `}`,
		diff: []row{
			{"street", `"A"`, `"B"`}, {"latitude", "59.9139", "41.90000000000000000001"}, {"code of the door", "", `"7"`},
			{"address", before, after}, {"hours", "{}", hours},
		},
	}.make(t, w, now, b.lastGiven)
	if written != after+hours {
		t.Errorf("after apply the row is %s", written)
	}
}

type eventBodies struct {
	target[events.RecordEventPayload, runtime.None]
}

func (b *eventBodies) ApplyRecordEvent(_ context.Context, c *events.RecordEventChange) (*events.RecordEventResult, error) {
	return &events.RecordEventResult{Position: 1}, b.apply(c.Payload, nil)
}

func TestOpenOperationsKeepWhatIsSentAlong(t *testing.T) {
	t.Parallel()
	b := &eventBodies{}
	w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
		return events.Register(server, guard, events.Config{Operations: b})
	})
	const payload = `{"actor":{"id":"a","ip":[127,0,0,1]},"name":"login","took":0.10000000000000000001}`
	trip{
		operation: "record_event", summary: "Record login by a", payload: payload, diff: []row{{"event", "", payload}}, keeps: true,
	}.make(t, w, b.now, b.lastGiven)
}

type buildBodies struct{ result string }

func (b buildBodies) ApplyStartBuild(context.Context, *builds.StartBuildChange) (*builds.StartBuildResult, error) {
	result := &builds.StartBuildResult{}
	return result, exact.Decode([]byte(b.result), result)
}

func TestResultsOfEveryKindComeBackExactly(t *testing.T) {
	t.Parallel()
	const least = `{"cause":{"by":"user","user":"a"},"cost":0,"id":1,"level":2,"load":0,"outputs":{},"raw":null,"serial":0,"started":"","state":"queued","steps":[]}`
	for _, result := range []string{
		least,
		`{"cause":{"by":"push","commit":"c"},"cost":12345678901234567890.5,"id":9007199254740993,"level":1,"load":0.1,"note":null,` +
			`"outputs":{"a":0.10000000000000000001},"parent":{"id":2,"parent":{"id":3}},"raw":{"a":[null,12345678901234567890123456]},` +
			`"serial":1234567890123456789012345,"started":"2026-03-01T12:00:00.50+01:00","state":"running","steps":[{"code":null,"name":"s"},{"name":"t"}]}`,
		strings.Replace(least, `"id"`, `"note":"","id"`, 1),
	} {
		canonical, err := exact.Canonical([]byte(result), exact.DefaultLimits)
		check(t, result, err)
		w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
			return builds.Register(server, guard, builds.Config{Operations: buildBodies{result}})
		})
		applied := w.apply(t, "start_build", w.call(t, "preview_start_build", `{"branch":"main"}`))
		if diff := cmp.Diff(string(canonical), string(applied.Result)); diff != "" || applied.Status != "applied" {
			t.Errorf("%+v, result (-want +got):\n%s", applied, diff)
		}
	}
}

type taskBodies struct {
	target[tasks.UpdateTaskPayload, tasks.UpdateTaskState]
}

func (b *taskBodies) ObserveUpdateTask(context.Context, *tasks.UpdateTaskPayload) (*tasks.UpdateTaskState, error) {
	return b.observe()
}

func (b *taskBodies) ApplyUpdateTask(_ context.Context, c *tasks.UpdateTaskChange) error {
	return b.apply(c.Payload, &tasks.UpdateTaskState{Title: c.State.Title, Due: c.Payload.Due})
}

func (b *taskBodies) UndoUpdateTask(_ context.Context, c *tasks.UpdateTaskApplied) error {
	return b.undo(c.Before)
}

func TestCombinedSchemasAreEnforcedAndLoseNothing(t *testing.T) {
	t.Parallel()
	b := &taskBodies{}
	b.state = []byte(`{"title":"a"}`)
	w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
		return tasks.Register(server, guard, tasks.Config{Operations: b})
	})
	const due, owner = `"2026-03-01T12:00:00.50Z"`, `{"name":"ada"}`
	const notice, repeat = `{"address":"a@b.c","channel":"mail"}`, `{"days":7,"due":"2026-03-01T12:00:00Z"}`
	trip{
		operation: "update_task", summary: "Change task 1",
		payload: `{"id":1,"due":` + due + `,"owner":` + owner + `,"notice":` + notice + `,"repeat":` + repeat + `}`,
		diff:    []row{{"due", "", due}, {"owner", "", owner}, {"channel", "", `"mail"`}, {"notice", "", notice}, {"repeat", "", repeat}},
	}.make(t, w, b.now, b.lastGiven)
	for _, payload := range []string{
		`{"id":1}`, `{"id":1,"due":"x","clear_due":true}`, `{"id":1,"clear_due":true,"owner":{"name":"a","x":1}}`,
		`{"id":1,"clear_due":true,"notice":{"channel":"chat"}}`, `{"id":1,"clear_due":true,"notice":{"channel":"mail","room":"r"}}`,
		`{"id":1,"clear_due":true,"notice":{"channel":"chat","room":"r","x":1}}`, `{"id":1,"clear_due":true,"repeat":{"days":0}}`,
	} {
		if got := w.call(t, "preview_update_task", payload); got.Code != "invalid_payload" {
			t.Errorf("%s: %+v, want invalid_payload", payload, got)
		}
	}
}

type regionBodies struct {
	target[regions.SetRegionPayload, regions.SetRegionState]
}

func (b *regionBodies) ObserveSetRegion(context.Context, *regions.SetRegionPayload) (*regions.SetRegionState, error) {
	return b.observe()
}

func (b *regionBodies) ApplySetRegion(_ context.Context, c *regions.SetRegionChange) error {
	return b.apply(c.Payload, &regions.SetRegionState{Corners: c.Payload.Corners})
}

func (b *regionBodies) UndoSetRegion(_ context.Context, c *regions.SetRegionApplied) error {
	return b.undo(c.Before)
}

func TestTuplesOfOneTypeAreLists(t *testing.T) {
	t.Parallel()
	b := &regionBodies{}
	b.state = []byte(`{"corners":[]}`)
	w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
		return regions.Register(server, guard, regions.Config{Operations: b})
	})
	trip{
		operation: "set_region", summary: "Let l cover [-180,-90,180,90.00000000000000000001]",
		payload: `{"layer":"l","corners":[-180,-90.0,180,90.00000000000000000001],"path":[[1,2],[0.5,-0.5]]}`,
		diff:    []row{{"corners", "[]", "[-180,-90,180,90.00000000000000000001]"}, {"path", "", "[[1,2],[0.5,-0.5]]"}},
	}.make(t, w, b.now, b.lastGiven)
	for _, corners := range []string{`[1,2,3]`, `[1,2,3,4,5]`, `[-181,2,3,4]`, `[1,2,3,"4"]`} {
		if got := w.call(t, "preview_set_region", `{"layer":"l","corners":`+corners+`}`); got.Code != "invalid_payload" {
			t.Errorf("%s: %+v, want invalid_payload", corners, got)
		}
	}
}

type reactionBodies struct {
	target[reactions.ReactPayload, reactions.ReactState]
}

func (b *reactionBodies) ObserveReact(context.Context, *reactions.ReactPayload) (*reactions.ReactState, error) {
	return b.observe()
}

func (b *reactionBodies) ApplyReact(_ context.Context, c *reactions.ReactChange) error {
	counts := map[string]int64{}
	for key, n := range c.State.Counts {
		counts[key] = n
	}
	if c.Payload.Reaction == reactions.ReactionThumbsUp {
		counts[c.Payload.Comment.Key]++
	}
	return b.apply(c.Payload, &reactions.ReactState{Counts: counts})
}

func (b *reactionBodies) UndoReact(_ context.Context, c *reactions.ReactApplied) error {
	return b.undo(c.Before)
}

func TestNamesOfAnAuthorsOwnChangeNoJSON(t *testing.T) {
	t.Parallel()
	b := &reactionBodies{}
	b.state = []byte(`{"reactions":{"c":1}}`)
	w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
		return reactions.Register(server, guard, reactions.Config{Operations: b})
	})
	const payload = `{"3d":true,"colour":"red","filter":{"a":"b"},"reaction":"+1","target":{"id":"c"}}`
	_, after := trip{
		operation: "react", summary: "React with +1 to c", payload: payload, diff: []row{{"reactions", `{"c":1}`, ""}, {"payload", "", payload}},
	}.make(t, w, b.now, b.lastGiven)
	if after != `{"reactions":{"c":2}}` {
		t.Errorf("after apply the state is %s", after)
	}
}

type orderBodies struct {
	target[orders.PlaceOrderPayload, runtime.None]
}

func (b *orderBodies) ApplyPlaceOrder(_ context.Context, c *orders.PlaceOrderChange) (*orders.PlaceOrderResult, error) {
	return &orders.PlaceOrderResult{Total: orders.Total{Cents: 1}}, b.apply(c.Payload, nil)
}

func TestReferencesLeadToWhateverIsInTheSchema(t *testing.T) {
	t.Parallel()
	b := &orderBodies{}
	w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
		return orders.Register(server, guard, orders.Config{Operations: b})
	})
	const item, address = `{"price":{"amount":12345678901234567890.5},"sku":"s"}`, `{"street":"A","zip/code":"1"}`
	const last = `{"billing":{"street":"B"},"items":[]}`
	const payload = `{"billing":` + address + `,"follow_up":{"billing":` + address + `,"follow_up":` + last + `,"items":[]},"gift":` + item +
		`,"items":[` + item + `],"shipping":` + address + `}`
	trip{operation: "place_order", summary: "Place an order", payload: payload, diff: []row{{"order", "", payload}}, keeps: true}.make(t, w, b.now, b.lastGiven)
	if got := w.call(t, "preview_place_order", `{"billing":{"street":"A"},"items":[],"follow_up":{"items":[]}}`); got.Code != "invalid_payload" {
		t.Errorf("an order within that has no address: %+v, want invalid_payload", got)
	}
}

type backupBodies struct {
	target[backups.PlanBackupPayload, backups.PlanBackupState]
}

func (b *backupBodies) ObservePlanBackup(context.Context, *backups.PlanBackupPayload) (*backups.PlanBackupState, error) {
	return b.observe()
}

func (b *backupBodies) ApplyPlanBackup(_ context.Context, c *backups.PlanBackupChange) error {
	if c.Payload.Retry.Pause != json.Number("0.5") {
		return runtime.NotApplied(errors.New("another pause than the default"))
	}
	return b.apply(c.Payload, &backups.PlanBackupState{Every: string(c.Payload.Every), Keep: c.Payload.Keep})
}

func (b *backupBodies) UndoPlanBackup(_ context.Context, c *backups.PlanBackupApplied) error {
	return b.undo(c.Before)
}

func TestDefaultsAreFilledInAtEveryDepth(t *testing.T) {
	t.Parallel()
	b := &backupBodies{}
	w := start(t, "", func(server *mcp.Server, guard *runtime.Guard, _ *sql.DB) error {
		return backups.Register(server, guard, backups.Config{Operations: b})
	})
	_, after := trip{
		operation: "plan_backup", summary: "Back up v every day, up to 3 times", payload: `{"volume":"v","targets":[{"url":"a"},{"url":"b","weight":2}]}`,
		diff: []row{
			{"every", "", `"day"`}, {"keep", "", "null"}, {"labels", "", "{}"}, {"retry", "", `{"pause":0.5,"times":3}`},
			{"targets", "", `[{"url":"a","weight":1},{"url":"b","weight":2}]`},
		},
	}.make(t, w, b.now, b.lastGiven)
	if after != `{"every":"day","keep":null}` {
		t.Errorf("after apply the state is %s", after)
	}
}
