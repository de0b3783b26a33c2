import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { createIdleCollector } from './collect-when-idle.ts'

const MIB = 1024 * 1024
const heapMb = () => getHeapStatistics().total_physical_size / MIB

/** Creates garbage that V8 has already moved out of the young generation. */
function litter(mebibytes: number): void {
  let kept: number[][] = []
  for (let index = 0; index < mebibytes * 16; index += 1) kept.push(Array.from({ length: 8_192 }, () => index))
  assert.ok(kept.length > 0)
  kept = []
}

test('an idle process collects garbage, and returns the memory to the system', () => {
  const collector = createIdleCollector({ readBusyShare: () => 0 })
  collector.check()
  const before = heapMb()
  litter(96)
  const littered = heapMb()
  assert.ok(littered > before + 48, `the heap grew from ${before} to ${littered} MB`)
  assert.equal(collector.check(), true)
  assert.ok(heapMb() < before + 16, `${heapMb()} MB are left of ${littered}`)
})

test('a busy process, or a process whose heap has hardly grown, does not collect garbage', () => {
  let busyShare = 0.03
  const collector = createIdleCollector({ readBusyShare: () => busyShare, worthBytes: 64 * MIB })
  litter(96)
  assert.equal(collector.check(), false)
  busyShare = 0.02
  assert.equal(collector.check(), true)
  assert.equal(collector.check(), false)
})

test('the growth of the heap is measured from its smallest size since the last garbage collection', () => {
  const heaps = [200, 200, 40, 100, 50].map((mebibytes) => mebibytes * MIB)
  const collector = createIdleCollector({ readBusyShare: () => 0, readHeapBytes: () => heaps.shift() ?? 0 })
  assert.equal(collector.check(), true)
  assert.equal(collector.check(), false)
  assert.equal(collector.check(), true)
})

test('the busy share of a process is its event loop utilization since the last check', async () => {
  // The event loop has no utilization before its first turn.
  await nextTurn()
  const collector = createIdleCollector({ worthBytes: 0 })
  const until = performance.now() + 50
  while (performance.now() < until);
  assert.equal(collector.check(), false)
})
