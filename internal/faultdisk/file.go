package faultdisk

import (
	"sync"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// file is an open file on a disk of ours.
type file struct {
	disk *Disk
	path string
	real *lib.Tsqlite3_io_methods
}

// files are the open files, by the address that SQLite knows them by.
var files sync.Map

// tables are our tables of methods, by the address of the real one that each stands before.
var tables = struct {
	sync.Mutex
	byReal map[uintptr]*lib.Tsqlite3_io_methods
}{byReal: map[uintptr]*lib.Tsqlite3_io_methods{}}

// interpose comes between SQLite and an open file.
func interpose(tls *libc.TLS, handle uintptr, disk *Disk, path string) {
	opened := at[lib.Tsqlite3_file](handle)
	real := opened.FpMethods
	files.Store(handle, &file{disk: disk, path: path, real: at[lib.Tsqlite3_io_methods](real)})
	tables.Lock()
	defer tables.Unlock()
	if tables.byReal[real] == nil {
		ours := allocate[lib.Tsqlite3_io_methods](tls)
		*ours = *at[lib.Tsqlite3_io_methods](real)
		ours.FxClose = address(closeFile)
		ours.FxWrite = address(writeFile)
		ours.FxTruncate = address(truncateFile)
		ours.FxSync = address(syncFile)
		ours.FxShmMap = address(mapShared)
		tables.byReal[real] = ours
	}
	opened.FpMethods = addressOf(tables.byReal[real])
}

type (
	closeMethod    = func(tls *libc.TLS, handle uintptr) int32
	writeMethod    = func(tls *libc.TLS, handle, bytes uintptr, count int32, offset int64) int32
	truncateMethod = func(tls *libc.TLS, handle uintptr, size int64) int32
	syncMethod     = func(tls *libc.TLS, handle uintptr, flags int32) int32
	mapMethod      = func(tls *libc.TLS, handle uintptr, region, size, extend int32, mapped uintptr) int32
)

func fileOf(handle uintptr) *file {
	f, _ := files.Load(handle)
	return f.(*file)
}

func closeFile(tls *libc.TLS, handle uintptr) int32 {
	f := fileOf(handle)
	files.Delete(handle)
	return method[closeMethod](f.real.FxClose)(tls, handle)
}

func writeFile(tls *libc.TLS, handle, bytes uintptr, count int32, offset int64) int32 {
	f := fileOf(handle)
	write := method[writeMethod](f.real.FxWrite)
	how, fails := f.disk.call("write", f.path)
	if !fails {
		return write(tls, handle, bytes, count, offset)
	}
	if code := write(tls, handle, bytes, count/2, offset); code != lib.SQLITE_OK {
		return code
	}
	return how.code(lib.SQLITE_IOERR_WRITE)
}

func truncateFile(tls *libc.TLS, handle uintptr, size int64) int32 {
	f := fileOf(handle)
	if _, fails := f.disk.call("truncate", f.path); fails {
		return lib.SQLITE_IOERR_TRUNCATE
	}
	return method[truncateMethod](f.real.FxTruncate)(tls, handle, size)
}

// syncFile fails without syncing. That there is no space is found out at a sync too, where a file system allocates late;
// SQLite takes that for any other failure.
func syncFile(tls *libc.TLS, handle uintptr, flags int32) int32 {
	f := fileOf(handle)
	if _, fails := f.disk.call(syncing, f.path); fails {
		return lib.SQLITE_IOERR_FSYNC
	}
	return method[syncMethod](f.real.FxSync)(tls, handle, flags)
}

// mapShared fails where the index of the write-ahead log, which all processes share, would have to grow. SQLite does not
// say why.
func mapShared(tls *libc.TLS, handle uintptr, region, size, extend int32, mapped uintptr) int32 {
	f := fileOf(handle)
	if extend != 0 {
		if _, fails := f.disk.call("extend", f.path+"-shm"); fails {
			return lib.SQLITE_IOERR_SHMSIZE
		}
	}
	return method[mapMethod](f.real.FxShmMap)(tls, handle, region, size, extend, mapped)
}

// code is what SQLite makes of a failure: a disk without space has a code of its own.
func (f Failure) code(broken int32) int32 {
	if f == NoSpace {
		return lib.SQLITE_FULL
	}
	return broken
}
