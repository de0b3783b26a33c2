import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { readTree } from '@mediamill/server/supervisor/engine-tree'
import { signalAll } from '../support/processes.ts'

/** The result of a test file. `title` is the failed test, or the last test that started. */
export type Verdict = { is: 'passed' } | Failure
export type Failure =
  | { is: 'failed'; title: string }
  | { is: 'hanging'; title: string }
  /** The file could not be loaded, or its process ended early. */
  | { is: 'broken'; title: string }

export async function runTest(project: string, file: string, timeoutMs: number): Promise<Verdict> {
  // Run the file without `--test`, which would start a second process.
  const args = ['--test-reporter=tap', file]
  const child = spawn(process.execPath, args, { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    void endTree(child.pid)
  }, timeoutMs)
  let title = ''
  let verdict: Verdict = { is: 'passed' }
  for await (const line of createInterface(child.stdout)) {
    if (verdict.is !== 'passed' || isLate) continue
    title = /^\s*(?:# Subtest:|not ok \d+ -) (.*)$/.exec(line)?.[1] ?? title
    const type = /^\s*failureType: '(\w+)'/.exec(line)?.[1]
    if (type === undefined || type === 'subtestsFailed') continue
    verdict = { is: endOf(type, title.endsWith(file)), title }
    await endTree(child.pid)
  }
  clearTimeout(timer)
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  if (isLate) return { is: 'hanging', title }
  return verdict.is === 'passed' && child.exitCode !== 0 ? { is: 'broken', title } : verdict
}

/** Returns the kind of a failure. `isFile` is true if the file itself failed, and not one of its tests. */
function endOf(failureType: string, isFile: boolean): 'failed' | 'hanging' | 'broken' {
  if (failureType === 'testTimeoutFailure') return 'hanging'
  return failureType === 'testCodeFailure' && !isFile ? 'failed' : 'broken'
}

/** Kills a process tree. Killing the process group is not enough, because engines have their own sessions. */
async function endTree(pid: number | undefined): Promise<void> {
  if (pid === undefined) return
  signalAll((await readTree(pid)).pids, 'SIGKILL')
}
