package faultdisk

import (
	"fmt"
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// real is the file system that SQLite used before ours.
var real *lib.Tsqlite3_vfs

// install puts our file system before the real one, once, for all that is opened from then on.
var install = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	defer tls.Close()
	real = at[lib.Tsqlite3_vfs](lib.Xsqlite3_vfs_find(tls, 0))
	ours := allocate[lib.Tsqlite3_vfs](tls)
	*ours = *real
	name, err := libc.CString("faultdisk")
	if err != nil {
		panic(fmt.Sprintf("faultdisk: %v", err))
	}
	ours.FzName = name
	ours.FxOpen = address(openFile)
	ours.FxDelete = address(deleteFile)
	if code := lib.Xsqlite3_vfs_register(tls, addressOf(ours), 1); code != lib.SQLITE_OK {
		panic(fmt.Sprintf("faultdisk: SQLite refused the file system: code %d", code))
	}
})

type (
	openMethod   = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	deleteMethod = func(tls *libc.TLS, vfs, name uintptr, syncDirectory int32) int32
)

// openFile opens a file as ever and, if it is on a disk of ours, comes between it and SQLite. Temporary files have no
// name.
func openFile(tls *libc.TLS, _, name, file uintptr, flags int32, outFlags uintptr) int32 {
	code := method[openMethod](real.FxOpen)(tls, addressOf(real), name, file, flags, outFlags)
	if code != lib.SQLITE_OK || name == 0 {
		return code
	}
	path := libc.GoString(name)
	if disk := diskOf(path); disk != nil {
		interpose(tls, file, disk, path)
	}
	return code
}

func deleteFile(tls *libc.TLS, _, name uintptr, syncDirectory int32) int32 {
	path := libc.GoString(name)
	if disk := diskOf(path); disk != nil {
		if _, fails := disk.call("delete", path); fails {
			return lib.SQLITE_IOERR_DELETE
		}
	}
	return method[deleteMethod](real.FxDelete)(tls, addressOf(real), name, syncDirectory)
}

// method is the Go function behind an address in a table of SQLite's.
func method[F any](address uintptr) F { return *at[F](addressOf(&address)) }

// address is what a table of SQLite's holds of a Go function. F is a function that is no closure, so that it stays.
func address[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// at is what lies at an address outside of Go's memory.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

func addressOf[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// allocate makes room outside of Go's memory. It is never freed: SQLite keeps what is made here for ever.
func allocate[T any](tls *libc.TLS) *T {
	var zero T
	address := lib.Xsqlite3_malloc(tls, int32(unsafe.Sizeof(zero)))
	if address == 0 {
		panic("faultdisk: out of memory")
	}
	return at[T](address)
}
