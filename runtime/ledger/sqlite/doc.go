// Package sqlite keeps a ledger in one SQLite file, shared by any number of processes on one host.
//
// Every write is on disk when its call returns: the write-ahead log is synced at each commit (synchronous=FULL), on every
// connection, and that is read back before a connection is used. Writers take turns in three steps: a queue inside the
// process, a lock on a file beside the ledger between processes, and SQLite's own write lock, which keeps shells and
// backups out. Who comes by its turn writes all that waits in its process in one transaction. Each write has a verdict of
// its own all the same: what is refused leaves nothing behind. SQLite's lock alone would do for correctness, but its sleeps
// are far longer than a commit, so that one of several processes can starve behind it. A process that goes on writing leaves
// the lock to one that waits.
//
// # Room
//
// Bytes of 4 KiB and more are compressed, unless they do not become smaller. The write-ahead log has up to 64 MiB
// as a rule: long reads of a Store are of many states, one after the other, except where it has to be one, as in a backup; and
// when it has become larger, beside somebody who reads for long or a prune, it is brought back beside those who write.
//
// # Damage
//
// Damage is noticed before it can do harm. Each row has a check sum, which is compared when it is read. One row accounts
// for every write, so that changes and events that are gone are missed, and those that were pruned are not. Open checks
// all of a ledger of ordinary size; of a large one it counts the rows and reads the newest. Check looks at all of any. A
// mark beside the ledger tells one that lost its latest writes, or that was changed while nobody had it open. Before each
// write a store makes sure that the files are still those that it opened, that the ledger has not gone back, as it does
// when an older copy is written over it, and that nobody has changed its schema: without an index a request could be taken
// twice, and a trigger could take a claim back. SQLite notices none of that by itself. A damaged ledger is refused and left
// as it is: what can be saved is for an operator to decide. Operators open one whose damage is in single rows, with
// DespiteDamage and LookOnly: a server that runs goes on with its other changes, and they must be able to say no to those.
//
// # Files
//
// Beside the ledger FILE lie FILE-wal and FILE-shm (SQLite's own, while it is used), FILE.lock (never removed), FILE.mark,
// FILE.key once a sensitive value was hashed, and one FILE.hold_… for each holder that may claim, which says where its
// process is. FILE, FILE-wal, FILE-shm and FILE.mark are one thing and stay together. FILE.key belongs to FILE for as long
// as there are changes whose hashes were made with it: it is never made again before they are pruned. The directory should
// be the ledger's own: Open creates it with mode 0700 and the files with 0600, and refuses what others can write to,
// symbolic links, and file systems that are shared over a network, where neither kind of lock can be trusted. Whoever looks
// after a ledger should do so as the user of its servers; what the superuser makes beside it is given to that user.
//
// A process must not open the ledger file by other means than SQLite while a Store has it open: on POSIX systems
// closing any descriptor of the file drops SQLite's locks on it.
//
// # Tables of others
//
// The file may hold other tables, with their indexes, triggers and views, so that a body can change them in the transaction
// that records its change: Join. None is called changes, events or ledger, and no trigger or index is on those: that is
// refused as damage. The numbers user_version and application_id are the ledger's. Nobody can tell then, by the mark, that a
// closed ledger was written to. Make the tables, and read and write them in other ways than by Join, with a database/sql pool
// of your own on FILE, of modernc.org/sqlite, once Open has made the ledger; a second SQLite in the same process, as cgo links
// one, drops the locks of this one. Keep the write-ahead log, and synchronous at NORMAL or above: what is not synced at all
// takes the ledger along when the power goes. Others wait for each transaction that writes, so keep it short.
//
// A joined body holds the turn of all writers, for MaxJoin at most, or until a query that is under way then has its next row.
// Foreign keys hold for what it writes, and for whatever the ledger deletes: a table that refers to changes keeps them from
// being pruned, unless it says ON DELETE. One that refers to a column of the ledger's which is not unique keeps it from
// writing.
//
// # Backups
//
// Backup copies a ledger while it is used. The copy is a ledger without a mark: one of an earlier moment cannot know how
// far its ledger came, and in the place of that one it is refused. To restore it, stop every server, move FILE, FILE-wal,
// FILE-shm and FILE.mark aside, and put the copy in the place of FILE; what was applied after the copy was made is then
// forgotten, and claims that were open in it belong to holders that nobody knows. Whoever restores the mark of that time
// as well leaves nothing that could tell that writes are missing. FILE.key is not copied, so that the copy alone does not
// help to guess what is sensitive: keep it apart, and restore it with the copy.
//
// # Versions
//
// A ledger says which schema it has, and the oldest that a program may be made for to use it. What a later version only
// adds is added when that version opens the ledger, while programs of earlier versions go on using it; where they could
// not, they are refused at their next call, with ErrUnsupported, and lose nothing. What cannot be added takes Migrate.
package sqlite
