package vocab

import (
	"fmt"
	"unsafe"

	"github.com/seed-167f963f/nbsvm/internal/kernels"
	"github.com/seed-167f963f/nbsvm/internal/mem"
)

// tally is the table in which a worker counts the n-grams of one partition after the other, which keeps it in the cache.
type tally struct {
	counter *Counter
	*partition
	table    []kernels.CountLine
	used     int               // n-grams in the table
	known    uint32            // numbers that were given before
	listed   []uint64          // n-grams of the table
	numbered []uint64          // these in the order of their numbers
	ahead    [addAtOnce]uint32 // first words of lines that are asked for
}

// A table takes lineRoom n-grams for each line, of the lineKeys that this has: longer searches cost more than memory.
const (
	lineKeys = len(kernels.CountLine{}.Keys)
	lineRoom = lineKeys * 5 / 8
)

// leastFresh is for how many n-grams there is room at first, if so many wait. A table grows fast.
const leastFresh = 1 << 12

// lineWords is how many words of memory a line takes.
const lineWords = int(unsafe.Sizeof(kernels.CountLine{}) / 8)

// begin makes a table of what a partition has, with room for what is likely to come.
func (t *tally) begin(p *partition, waiting int) error {
	t.partition, t.used, t.known = p, len(p.list.Words), p.next
	fresh := leastFresh // where all that was counted before has been spilled, or nothing was
	if last := int(t.counter.fresh.Load()); last > 0 && len(p.runs) == 0 {
		fresh = last + last/8
	}
	fresh = min(fresh, waiting)
	if err := t.makeRoom((t.used+fresh)/lineRoom + 1); err != nil {
		return err
	}
	t.enter(p.list.Words)
	return nil
}

// enter puts n-grams into the table, which is empty. They lie nearly in the order of the lines where searches begin, as
// they come from a table, so that most belong behind the one before, or to the beginning of a line behind it. The first
// ones may be those that had no room at the end.
func (t *tally) enter(entries []uint64) {
	secret, lines := t.counter.secret, len(t.table)
	line := func(e uint64) int { return int(kernels.LineOfKey(restOf(e), secret, lines)) }
	turned := 0
	for turned < len(entries) && line(entries[turned]) > lines/2 {
		turned++
	}
	from, next := 0, 0 // places; those from the one up to the other are taken
	for _, e := range entries[turned:] {
		place := line(e) * lineKeys
		if place > next {
			from, next = place, place
		}
		if place < from || next == lines*lineKeys {
			next = max(next, t.search(e)+1)
			continue
		}
		t.set(next, e)
		next++
	}
	for _, e := range entries[:turned] {
		t.search(e)
	}
}

// search puts an n-gram into the first place that is free for it, and returns that.
func (t *tally) search(e uint64) (place int) {
	line, lane := kernels.FindKey(t.table, restOf(e), t.counter.secret)
	place = line*lineKeys + lane
	t.set(place, e)
	return place
}

// set puts an n-gram into a place of the table.
func (t *tally) set(place int, e uint64) {
	line, lane := &t.table[place/lineKeys], place%lineKeys
	line.Keys[lane], line.Counts[lane] = restOf(e)+1, uint32(e)
}

// makeRoom makes an empty table of so many lines.
func (t *tally) makeRoom(lines int) error {
	if int(t.next)+lines*lineRoom > maxNumbers {
		return fmt.Errorf("ngrams: more than %d n-grams whose hashes begin alike, where one counts again whenever memory did not suffice: raise the limit of memory, or pack parts and merge them", maxNumbers)
	}
	if cap(t.table) < lines {
		t.table = make([]kernels.CountLine, lines, lines*5/4)
		return nil
	}
	t.table = t.table[:lines]
	clear(t.table)
	return nil
}

// addAtOnce is how many n-grams are asked for together: what is asked for should stay in the first cache
// until it is looked at.
const addAtOnce = 256

// prefetchFrom is the size of a table, in lines, from which these are asked for before they are looked at: smaller
// tables are in the cache after the first few.
const prefetchFrom = 1 << 12

// ask asks for the lines where the searches for n-grams begin.
func (t *tally) ask(entries []uint64) {
	for i, e := range entries {
		t.ahead[i] = kernels.LineOfKey(kernels.KeyOfQuery(e), t.counter.secret, len(t.table)) * uint32(lineWords)
	}
	kernels.PrefetchEntries(words(t.table), t.ahead[:len(entries)], 0)
}

// count counts entries of blocks, and puts numbers in place of hashes.
func (t *tally) count(entries []uint64) error {
	for len(entries) > 0 {
		room := len(t.table)*lineRoom - t.used
		if room == 0 {
			if err := t.grow(); err != nil {
				return err
			}
			continue
		}
		some := entries[:min(len(entries), room, addAtOnce)]
		if len(t.table) >= prefetchFrom {
			t.ask(some)
		}
		next, done, full := kernels.CountKeys(t.table, some, t.counter.secret, t.next)
		t.used += int(next - t.next)
		t.next, entries = next, entries[done:]
		if full >= 0 {
			t.carry(&t.table[full/lineKeys], full%lineKeys)
		}
	}
	return nil
}

// grow makes the table twice as large, or empty where memory does not suffice.
func (t *tally) grow() error {
	c, lines := t.counter, 2*len(t.table)
	if c.memory > 0 && c.lists.Bytes()+int64(8*lineWords*lines) > c.memory {
		if err := t.spill(); err != nil {
			return err
		}
		t.used = 0
		return t.makeRoom(len(t.table))
	}
	t.listed = grow(t.listed, t.used+1)
	list(t.listed, t.table)
	if err := t.makeRoom(lines); err != nil {
		return err
	}
	t.enter(t.listed[:t.used])
	return nil
}

// list writes the n-grams of a table to dst, in the order of the table. There is room for one more.
func list(dst []uint64, table []kernels.CountLine) {
	n := 0
	for l := range table {
		line := &table[l]
		for lane, key := range line.Keys {
			// Whether there is an n-gram is hard to predict, so there is no branch on it.
			dst[n] = entryOf(key-1, line.Counts[lane])
			n += int((uint64(key) + 1<<32 - 1) >> 32)
		}
	}
}

// end makes the partition a list again, in the order of the table, so that it is entered fast.
func (t *tally) end() error {
	c := t.counter
	if len(t.runs) == 0 {
		c.fresh.Store(int64(t.next - t.known))
	}
	c.lists.Give(t.list)
	t.list = mem.Memory{}
	if c.memory > 0 && c.lists.Bytes()+int64(8*t.used) > c.memory {
		return t.spill()
	}
	t.list = c.lists.Take(t.used + 1)
	list(t.list.Words, t.table)
	t.list.Words = t.list.Words[:t.used]
	return nil
}

// spill writes what the table has to the temporary file, as a run. The partition has no list then.
func (t *tally) spill() error {
	t.listed = grow(t.listed, t.used+1)
	list(t.listed, t.table)
	t.numbered = t.run(t.numbered, t.listed[:t.used])
	t.counter.lists.Give(t.list)
	t.list = mem.Memory{}
	at, err := t.counter.spill.Write(mem.Overlay(t.numbered))
	t.runs = append(t.runs, spilledRun{at, len(t.numbered)})
	return err
}

// words returns the memory of a table.
func words(table []kernels.CountLine) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(table))), lineWords*len(table))
}
