package runtime_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"testing"
)

// fieldCasesFile holds failures that people reported in public, where it lies beside the clone.
const fieldCasesFile = "../../shared/field/cases.jsonl"

// fieldCase is a failure that somebody reported, something to try, and the right outcome.
type fieldCase struct {
	ID     string `json:"id"`
	Try    string `json:"try_"`
	Expect string `json:"expect"`
}

// heldCases are the reported failures that do not happen here, each with the tests that try what its report asks.
var heldCases = map[string]map[string]func(*testing.T){
	"B01": {"integers": TestBigIntegersSurviveFromWireToTable},
	"B03": {"text": TestInvalidTextIsRefusedAtPreview},
	"B06": {"closed": TestNamesMatchExactly, "open": TestNamesMatchExactlyInAnOpenPayload},
	"B10": {
		"any size": TestMessagesOfAnySizeAreAnswered, "an allowed size": TestPayloadOfASizeThatIsAllowedIsPreviewedAndApplied,
		"a process": TestProcessGoesOnAfterAMessageThatIsTooLarge,
	},
	"B15": {"shown": TestClientsAreShownSchemasThatTheyTake, "enforced": TestWhatClientsAreNotShownIsEnforced},
	"B17": {"items and outputs": TestClientsAreShownSchemasThatTheyTake},
	"B21": {"approval": TestApprovalIsOfOnePayload},
	"B23": {
		"values": TestForgedTextIsShownAsItIs, "texts of others": TestForgedTextOfOthersIsShownAsItIs,
		"keys": TestForgedKeysAreShownAsTheyAre, "reasons": TestForgedReasonIsShownAsItIs,
	},
	"B29": {
		"every argument of every tool": TestNothingAnAgentCanSendApprovesAnything, "a flag": TestArgumentThatPosesAsAYesIsRefused,
		"a client that cannot ask": TestApplyWaitsForAnOperatorsYes,
	},
	"B31": {
		"before the claim": TestCallerThatCancelsBeforeTheClaim, "during apply": TestCallerThatCancelsDuringApply,
		"disconnect": TestCallerThatDisconnectsDuringApply,
	},
	"B34": {"apply": TestKilledApply, "undo": TestKilledUndo},
	"B42": {
		"a newer change": TestUndoOfAnOlderChangeDoesNotOverwriteANewerOne, "a later edit": TestUndoDoesNotOverwriteALaterEdit,
		"twice": TestUndoTwiceIsOneUndo,
	},
	"B44": {"churn and drift": TestDriftIsJudgedOnWhatIsBound},
	"B49": {"our own tools": TestEveryToolHasAllFourHints},
}

func TestReportedFailuresDoNotHappen(t *testing.T) {
	t.Parallel()
	reported := readFieldCases(t)
	for id, trials := range heldCases {
		c, ok := reported[id]
		if !ok {
			t.Errorf("%s has no case %s", fieldCasesFile, id)
			continue
		}
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			t.Logf("try: %s\nexpect: %s", c.Try, c.Expect)
			for name, trial := range trials {
				t.Run(name, trial)
			}
		})
	}
}

// readFieldCases reads the cases by their id.
func readFieldCases(t *testing.T) map[string]fieldCase {
	t.Helper()
	f, err := os.Open(fieldCasesFile)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not there; the tests that it names run by themselves", fieldCasesFile)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	cases := map[string]fieldCase{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var c fieldCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases[c.ID] = c
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}
