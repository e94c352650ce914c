//go:build (!amd64 && !arm64) || purego

package kernels

// The assembly of other builds gets nothing done here.

func sumGroupsAsm(*Group, []GroupSlot, []uint32) (done int)             { return -1 }
func sumGroupScalesAsm(*Group, []GroupSlot, []uint32) (done int)        { return -1 }
func dotGroupsAsm(*Group, []GroupSlot, []uint32, []float32) (done int)  { return -1 }
func addGroupsAsm([]GroupSlot, []uint32, *Group) (done int)             { return 0 }
func axpyGroupsAsm([]GroupSlot, []uint32, []float32, *Group) (done int) { return 0 }
func sumGroups64Asm(*Group64, []Group64, []uint32) (done int)           { return -1 }
func addGroups64Asm([]Group64, []uint32, *Group64) (done int)           { return 0 }
func prefetchLines(*byte, []uint32, uint32)                             {}
