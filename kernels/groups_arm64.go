//go:build !purego

package kernels

// The functions of groups_arm64.s, which are those of groups_amd64.go.

//go:noescape
func sumGroupsAsm(sum *Group, table []GroupSlot, idx []uint32) (done int)

//go:noescape
func sumGroupScalesAsm(sum *Group, table []GroupSlot, idx []uint32) (done int)

//go:noescape
func dotGroupsAsm(sum *Group, table []GroupSlot, idx []uint32, val []float32) (done int)

//go:noescape
func addGroupsAsm(table []GroupSlot, idx []uint32, d *Group) (done int)

//go:noescape
func axpyGroupsAsm(table []GroupSlot, idx []uint32, val []float32, d *Group) (done int)

//go:noescape
func sumGroups64Asm(sum *Group64, table []Group64, idx []uint32) (done int)

//go:noescape
func addGroups64Asm(table []Group64, idx []uint32, d *Group64) (done int)

//go:noescape
func prefetchLines(table *byte, idx []uint32, from uint32)
