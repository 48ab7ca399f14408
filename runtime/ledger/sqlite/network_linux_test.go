package sqlite

import "testing"

const mountinfo = `22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
31 22 0:28 / /mnt/remote rw,nosuid master:1 shared:2 - fuse.sshfs host:/ rw,user_id=1000
32 22 0:29 / /a\040-\040b rw - virtiofs share rw
garbage - line
`

func TestTheTypeOfAMountIsFoundByItsDevice(t *testing.T) {
	t.Parallel()
	for device, want := range map[string]string{
		"254:0": "ext4", "0:28": "fuse.sshfs", "0:29": "virtiofs", "9:9": "fuse",
	} {
		if got := typeOfDevice(mountinfo, device); got != want {
			t.Errorf("device %s has type %q, want %q", device, got, want)
		}
	}
}

func TestTheTypeOfAMountIsReadFromTheSystem(t *testing.T) {
	t.Parallel()
	if got, err := mountType("/proc"); err != nil || got != "proc" {
		t.Errorf("/proc has type %q, %v", got, err)
	}
}

func TestFileSystemsInUserSpaceAreJudgedByTheirType(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]reach{
		"fuse.sshfs": networked, "fuse.fuse-overlayfs": local, "fuse.mine": unsure, "fuse": unsure, "virtiofs": unsure,
	} {
		if got := fuseFileSystem(name).reach; got != want {
			t.Errorf("%s: reach %d, want %d", name, got, want)
		}
	}
}

func TestADirectoryHereIsNotOnANetwork(t *testing.T) {
	t.Parallel()
	found, err := fileSystemOf(t.TempDir())
	if err != nil || found.reach == networked {
		t.Errorf("%+v, %v", found, err)
	}
}
