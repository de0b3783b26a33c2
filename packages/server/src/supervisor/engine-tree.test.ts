import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { until } from '@mediamill/lab/support/process'
import { readTree } from './engine-tree.ts'

test('a process tree has the process and its running children, but no zombies', {
  skip: !existsSync('/proc/self/task') && 'no /proc',
}, async () => {
  // `exec` replaces the shell with `sleep`, which does not reap children. So `sleep 0` stays a zombie.
  const root = spawn('sh', ['-c', 'sleep 0 & sleep 60 & exec sleep 60'])
  await once(root, 'spawn')
  const pid = root.pid ?? 0
  const childrenOf = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').map(Number)
  const isEnded = (child: number) => /^State:\s+Z/m.test(readFileSync(`/proc/${child}/status`, 'latin1'))
  try {
    await until(async () => childrenOf().length === 2 && childrenOf().some(isEnded))
    const running = childrenOf().filter((child) => !isEnded(child))
    const { pids, residentBytes, threads } = await readTree(pid)
    assert.deepEqual(new Set(pids), new Set([pid, ...running]))
    assert.equal(threads, 2)
    assert.ok(residentBytes > 100_000 && residentBytes < 50_000_000, `${residentBytes} bytes`)
    for (const child of running) process.kill(child)
  } finally {
    root.kill()
    await once(root, 'exit')
  }
  assert.deepEqual((await readTree(pid)).pids, [])
})
