package sqlite

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// File systems that the unix package has no name for, from the kernel's and their makers' headers.
const (
	magicBeeGFS   = 0x19830326
	magicGFS2     = 0x01161970
	magicGPFS     = 0x47504653
	magicLustre   = 0x0bd00bd0
	magicOrangeFS = 0x20030528
	magicPanFS    = 0xaad7aaea
	magicVBoxSF   = 0x786f4256
	magicVMHGFS   = 0xbacbacbc
)

// networkMagics are the file systems that more than one machine may write to.
var networkMagics = map[uint32]string{
	unix.AFS_FS_MAGIC: "AFS", unix.AFS_SUPER_MAGIC: "AFS", unix.CEPH_SUPER_MAGIC: "Ceph", unix.CIFS_SUPER_MAGIC: "CIFS",
	unix.CODA_SUPER_MAGIC: "Coda", unix.NCP_SUPER_MAGIC: "NCP", unix.NFS_SUPER_MAGIC: "NFS", unix.OCFS2_SUPER_MAGIC: "OCFS2",
	unix.SMB2_SUPER_MAGIC: "SMB", unix.SMB_SUPER_MAGIC: "SMB", unix.V9FS_MAGIC: "9P",
	magicBeeGFS: "BeeGFS", magicGFS2: "GFS2", magicGPFS: "GPFS", magicLustre: "Lustre", magicOrangeFS: "OrangeFS",
	magicPanFS: "PanFS", magicVBoxSF: "VirtualBox shared folder", magicVMHGFS: "VMware shared folder",
}

// fuseTypes says of file systems in user space whether they lead to a network; what is not here cannot be told.
var fuseTypes = map[string]bool{
	"fuse.blobfuse2": true, "fuse.ceph-fuse": true, "fuse.curlftpfs": true, "fuse.davfs": true, "fuse.gcsfuse": true,
	"fuse.glusterfs": true, "fuse.goofys": true, "fuse.juicefs": true, "fuse.mountpoint-s3": true, "fuse.rclone": true,
	"fuse.s3fs": true, "fuse.seaweedfs": true, "fuse.smbnetfs": true, "fuse.sshfs": true, "fuse.vmhgfs-fuse": true,
	"fuseblk": false, "fuse.bindfs": false, "fuse.encfs": false, "fuse.fuse-overlayfs": false, "fuse.gocryptfs": false,
}

// fileSystemOf says on what kind of file system dir lies.
func fileSystemOf(dir string) (fileSystem, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return fileSystem{}, err
	}
	magic := uint32(stat.Type)
	if name, ok := networkMagics[magic]; ok {
		return fileSystem{name: name, reach: networked}, nil
	}
	if magic != unix.FUSE_SUPER_MAGIC {
		return fileSystem{reach: local}, nil
	}
	name, err := mountType(dir)
	if err != nil {
		return fileSystem{}, err
	}
	return fuseFileSystem(name), nil
}

// fuseFileSystem judges a file system in user space by the type that its mount gives.
func fuseFileSystem(name string) fileSystem {
	network, known := fuseTypes[name]
	switch {
	case !known:
		return fileSystem{name: name, reach: unsure}
	case network:
		return fileSystem{name: name, reach: networked}
	}
	return fileSystem{name: name, reach: local}
}

// mountType is the type that the mount of dir gives, such as fuse.sshfs.
func mountType(dir string) (string, error) {
	var stat unix.Stat_t
	if err := unix.Stat(dir, &stat); err != nil {
		return "", err
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "fuse", nil // the type stays unknown, and the caller says so
	}
	return typeOfDevice(string(mounts), fmt.Sprintf("%d:%d", unix.Major(uint64(stat.Dev)), unix.Minor(uint64(stat.Dev)))), nil
}

// typeOfDevice finds the type of the file system on a device in the lines of a mountinfo file, whose third field is the
// device and whose first field after a lone hyphen is the type.
func typeOfDevice(mountinfo, device string) string {
	for line := range strings.Lines(mountinfo) {
		mount, source, found := strings.Cut(line, " - ")
		fields, types := strings.Fields(mount), strings.Fields(source)
		if found && len(fields) > 2 && fields[2] == device && len(types) > 0 {
			return types[0]
		}
	}
	return "fuse"
}
