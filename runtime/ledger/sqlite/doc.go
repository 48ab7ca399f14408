// Package sqlite keeps a ledger in one SQLite file, shared by any number of processes on one host.
//
// Every write is one transaction that is on disk when the call returns: the write-ahead log is synced at each commit
// (synchronous=FULL), on every connection, and that is read back before a connection is used. Writers take turns in
// three steps: a queue inside the process, a lock on a file beside the ledger between processes, and SQLite's own write
// lock, which keeps shells and backups out. SQLite's lock alone would do for correctness, but its sleeps are far longer
// than a commit, so that one of several processes can starve behind it. A process that goes on writing leaves the lock
// to one that waits.
//
// Damage is noticed before it can do harm. Each row has a check sum, which is compared when it is read; Open checks all
// of a ledger of ordinary size, and the newest rows of a large one; and a mark beside the ledger tells one that lost its
// latest writes, or that was changed while nobody had it open. Before each write a store makes sure that the files are
// still those that it opened, and that the ledger has not gone back, as it does when an older copy is written over it.
// SQLite notices none of that by itself. A damaged ledger is refused and left as it is: what can be saved is for an
// operator to decide.
//
// To restore a backup, stop every server, move FILE, FILE-wal, FILE-shm and FILE.mark aside, and put the copy of FILE in
// their place. Whoever restores the mark of that time as well leaves nothing that could tell that writes are missing.
//
// Beside the ledger FILE lie FILE-wal and FILE-shm (SQLite's own), FILE.lock (never removed), FILE.mark, and one
// FILE.hold_… for each holder that may claim. The directory should be the ledger's own: Open creates it with mode 0700
// and the files with 0600, and refuses what others can write to, symbolic links, and file systems that are shared over a
// network, where neither kind of lock can be trusted.
//
// A process must not open the ledger file by other means than SQLite while a Store has it open: on POSIX systems
// closing any descriptor of the file drops SQLite's locks on it.
package sqlite
