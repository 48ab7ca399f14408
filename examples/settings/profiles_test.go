package main

import (
	"errors"
	"testing"

	"github.com/changesetgen/changesetgen/examples/generated/profiles"
	"github.com/changesetgen/changesetgen/runtime"
)

// These are the bodies after somebody was faster than the last look.

func TestCreateWritesNothingWhenTheNameWasTakenSinceTheLook(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	change := &profiles.CreateProfileChange{Payload: &profiles.CreateProfilePayload{Name: "home"}}
	_, err := profileHandlers{db}.ApplyCreateProfile(t.Context(), change)
	if !errors.Is(err, runtime.ErrConflict) {
		t.Errorf("got the error %v, want a conflict", err)
	}
	wantProfiles(t, db, profile{1, "home", ""})
}

func TestUndoOfACreateWritesNothingOnAnotherVersion(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	applied := &profiles.CreateProfileApplied{After: &profiles.CreateProfileState{ID: 1, Name: "home", Version: 9}}
	if err := (profileHandlers{db}).UndoCreateProfile(t.Context(), applied); !errors.Is(err, runtime.ErrConflict) {
		t.Errorf("got the error %v, want a conflict", err)
	}
	wantProfiles(t, db, profile{1, "home", ""})
}

func TestDeleteWritesNothingOnAnotherVersion(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	change := &profiles.DeleteProfileChange{State: &profiles.DeleteProfileState{ID: 1, Name: "home", Version: 9}}
	if err := (profileHandlers{db}).ApplyDeleteProfile(t.Context(), change); !errors.Is(err, runtime.ErrConflict) {
		t.Errorf("got the error %v, want a conflict", err)
	}
	wantProfiles(t, db, profile{1, "home", ""})
}

func TestUndoOfADeleteWritesNothingWhenTheNameWasTakenSinceTheLook(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	applied := &profiles.DeleteProfileApplied{Before: &profiles.DeleteProfileState{ID: 7, Name: "home", Note: "old"}}
	if err := (profileHandlers{db}).UndoDeleteProfile(t.Context(), applied); !errors.Is(err, runtime.ErrConflict) {
		t.Errorf("got the error %v, want a conflict", err)
	}
	wantProfiles(t, db, profile{1, "home", ""})
}

func TestOpenDatabaseFillsProfilesOnlyOnce(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	db := openAt(t, place.database)
	alter(t, db, `DELETE FROM profiles`)
	wantProfiles(t, openAt(t, place.database))
}
