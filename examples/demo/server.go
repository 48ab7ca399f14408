package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/changesetgen/changesetgen/examples/internal/client"
	"github.com/changesetgen/changesetgen/runtime"
)

// writesOff is the write mode in which changes can only be previewed.
const writesOff runtime.WriteMode = "off"

// Files in the temporary directory.
const (
	settingsFile = "settings.db"
	ledgerFile   = "ledger/settings.db"
	logFile      = "server.log"
)

// startServer starts the settings server, always on the same database and ledger.
func (w *walk) startServer(ctx context.Context, mode runtime.WriteMode) error {
	w.command("settings", "--db", settingsFile, "--ledger", ledgerFile, "--write-mode", string(mode))
	log, err := os.Create(w.place.path(logFile))
	if err != nil {
		return fmt.Errorf("make the server's log: %w", err)
	}
	defer log.Close() // the server has its own copy
	command := exec.CommandContext(ctx, w.place.path("settings"),
		"--db", w.place.path(settingsFile), "--ledger", w.place.path(ledgerFile), "--write-mode", string(mode))
	command.Stderr = log
	server, err := client.Start(ctx, command)
	if err != nil {
		return err
	}
	w.server = server
	return nil
}

// stopServer lets the running server end, if there is one, and expects it to end well.
func (w *walk) stopServer() error {
	if w.server == nil {
		return nil
	}
	server := w.server
	w.server = nil
	if err := server.Close(); err != nil {
		return fmt.Errorf("the server did not end well: %w", err)
	}
	return nil
}

// killServer ends the server without giving it a chance, as kill -9 does.
func (w *walk) killServer() error {
	server := w.server
	w.server = nil
	return server.Kill()
}

// serverLog is what the last server wrote to standard error, to go with an error.
func (w *walk) serverLog() string {
	log, err := os.ReadFile(w.place.path(logFile))
	if err != nil || len(log) == 0 {
		return ""
	}
	return "\nThe server's standard error:\n" + strings.TrimSpace(string(log))
}

// end stops what runs.
func (w *walk) end() error {
	var err error
	if w.settings != nil {
		err = w.settings.close()
	}
	return errors.Join(err, w.stopServer())
}
