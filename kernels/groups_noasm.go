//go:build !amd64 || purego

package kernels

// The assembly of other builds gets nothing done here.

func sumGroupsAVX2(*Group, []GroupSlot, []uint32) (done int)             { return -1 }
func sumGroupScalesAVX2(*Group, []GroupSlot, []uint32) (done int)        { return -1 }
func dotGroupsAVX2(*Group, []GroupSlot, []uint32, []float32) (done int)  { return -1 }
func addGroupsAVX2([]GroupSlot, []uint32, *Group) (done int)             { return 0 }
func axpyGroupsAVX2([]GroupSlot, []uint32, []float32, *Group) (done int) { return 0 }
func sumGroups64AVX2(*Group64, []Group64, []uint32) (done int)           { return -1 }
func addGroups64AVX2([]Group64, []uint32, *Group64) (done int)           { return 0 }
func prefetchLines(*byte, []uint32, uint32)                              {}
