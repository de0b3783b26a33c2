import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { nodeFiles, thisProcess } from './node-files.ts'

test('a running process has a start time, and the start time of an ended process is empty', async () => {
  const files = nodeFiles()
  const other = spawn('sleep', ['60'])
  await once(other, 'spawn')
  const pid = other.pid ?? 0
  const [own, running] = [await thisProcess(files), await thisProcess(files, pid)]
  assert.equal(own.pid, process.pid)
  assert.equal(running.pid, pid)
  for (const { started } of [own, running]) assert.match(started, process.platform === 'linux' ? /^\d+$/ : /^running$/)
  other.kill()
  await once(other, 'exit')
  assert.equal((await thisProcess(files, pid)).started, '')
})
