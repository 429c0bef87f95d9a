package catalogtest

import "runtime"

// LiveHeap returns the bytes of the heap that are reachable.
func LiveHeap() int {
	runtime.GC()
	runtime.GC() // the first may leave what pools hold
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
