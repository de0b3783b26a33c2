import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { createIdleCollector } from './collect-when-idle.ts'

const MIB = 1024 * 1024
const heapMb = () => getHeapStatistics().total_physical_size / MIB

/** Leaves garbage behind: what lived long enough to be moved out of V8's nursery, of so many mebibytes. */
function litter(mebibytes: number): void {
  let kept: number[][] = []
  for (let index = 0; index < mebibytes * 16; index += 1) kept.push(Array.from({ length: 8_192 }, () => index))
  assert.ok(kept.length > 0)
  kept = []
}

test('a process without work gives the garbage of its last work back to the system', () => {
  const collector = createIdleCollector({ readBusyShare: () => 0 })
  collector.look()
  const before = heapMb()
  litter(96)
  const littered = heapMb()
  assert.ok(littered > before + 48, `the heap grew from ${before} to ${littered} MB`)
  assert.equal(collector.look(), true)
  assert.ok(heapMb() < before + 16, `${heapMb()} MB are left of ${littered}`)
})

test('a process at work is left alone, and so is one whose heap has hardly grown since', () => {
  let busyShare = 0.03
  const collector = createIdleCollector({ readBusyShare: () => busyShare, worthBytes: 64 * MIB })
  litter(96)
  assert.equal(collector.look(), false)
  busyShare = 0.02
  assert.equal(collector.look(), true)
  assert.equal(collector.look(), false)
})

test('a process whose heap has shrunk meanwhile is measured by that, not by its largest', () => {
  const heaps = [200, 200, 40, 100, 50].map((mebibytes) => mebibytes * MIB)
  const collector = createIdleCollector({ readBusyShare: () => 0, readHeapBytes: () => heaps.shift() ?? 0 })
  assert.equal(collector.look(), true)
  assert.equal(collector.look(), false)
  assert.equal(collector.look(), true)
})

test('the share of work is that of the event loop since the last look', async () => {
  // Until the loop turns for the first time it has done no work.
  await nextTurn()
  const collector = createIdleCollector({ worthBytes: 0 })
  const until = performance.now() + 50
  while (performance.now() < until);
  assert.equal(collector.look(), false)
})
