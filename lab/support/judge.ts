import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { readTree } from '@mediamill/server/supervisor/engine-tree'

/** What tests said of a changed project. Only a test that ran to a failure of its own tells that it minds. */
export type Verdict =
  | { is: 'green' }
  /** `code` is ERR_ASSERTION where the test itself minds, and another where what it calls throws. */
  | { is: 'red'; title: string; code: string }
  | { is: 'hanging'; title: string }
  | { is: 'broken'; title: string }

/**
 * Runs tests of the project at `project` until the first one fails, for at most `patienceMs`.
 * They are ended, and rejected with the reason, when `signal` is aborted.
 */
export async function judge(
  project: string,
  tests: readonly string[],
  patienceMs: number,
  signal?: AbortSignal,
): Promise<Verdict> {
  signal?.throwIfAborted()
  const args = ['--test', '--test-concurrency=1', '--test-reporter=tap', ...tests]
  const child = spawn(process.execPath, args, { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    void endTree(child.pid)
  }, patienceMs)
  const stop = () => void endTree(child.pid)
  signal?.addEventListener('abort', stop)
  let title = ''
  let failure: { indent: string; title: string; type: string } | undefined
  let verdict: Verdict = { is: 'green' }
  for await (const line of createInterface(child.stdout)) {
    if (verdict.is !== 'green' || isLate) continue
    title = /^\s*(?:# Subtest:|not ok \d+ -) (.*)$/.exec(line)?.[1] ?? title
    const [, indent, type] = /^(\s*)failureType: '(\w+)'/.exec(line) ?? []
    if (indent !== undefined && type !== undefined && type !== 'subtestsFailed') failure = { indent, title, type }
    if (failure === undefined || !line.startsWith(`${failure.indent}code: `)) continue
    verdict = verdictOf(failure, line.slice(failure.indent.length + 'code: '.length), tests)
    await endTree(child.pid)
  }
  clearTimeout(timer)
  signal?.removeEventListener('abort', stop)
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  signal?.throwIfAborted()
  if (isLate) return { is: 'hanging', title }
  // Whoever ended the tests from outside has not heard them out.
  return verdict.is === 'green' && child.exitCode !== 0 ? { is: 'broken', title } : verdict
}

function verdictOf({ title, type }: { title: string; type: string }, code: string, tests: readonly string[]): Verdict {
  if (type === 'testTimeoutFailure') return { is: 'hanging', title }
  // A failure that has the file's name is one of the file, which did not load or ended in the middle.
  if (type !== 'testCodeFailure' || tests.some((file) => title.endsWith(file))) return { is: 'broken', title }
  return { is: 'red', title, code: code.replaceAll("'", '') }
}

/** Engines have sessions of their own, and one that spins does not notice that it is alone. */
async function endTree(pid: number | undefined): Promise<void> {
  if (pid === undefined) return
  for (const one of (await readTree(pid)).pids) {
    try {
      process.kill(one, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
}
