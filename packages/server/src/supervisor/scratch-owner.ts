import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'

/**
 * The worker process that owns a scratch folder. `started`: when the process started, because ids are reused. `bootId`:
 * the boot of the machine, and the container.
 */
export type ScratchOwner = { pid: number; started: string; bootId: string }

export async function ownScratch(): Promise<ScratchOwner> {
  const [started, bootId] = await Promise.all([startOf(process.pid), bootIdOf()])
  if (started === undefined) throw new Error('this process is not in the list of processes')
  return { pid: process.pid, started, bootId }
}

/**
 * Returns the state of the worker that owns a scratch folder. `elsewhere`: the worker is on another machine or in
 * another container, or ran before the machine restarted.
 */
export async function stateOf(owner: ScratchOwner, here: string): Promise<'alive' | 'dead' | 'elsewhere'> {
  if (owner.bootId !== here) return 'elsewhere'
  return (await startOf(owner.pid)) === owner.started ? 'alive' : 'dead'
}

/** Returns the boot id. Two processes have the same boot id if they can see each other's process ids. */
async function bootIdOf(): Promise<string> {
  const [boot, namespace] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ])
  return createHash('sha256').update([hostname(), boot.trim(), namespace].join('\n')).digest('hex').slice(0, 12)
}

async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
    // Field 22 of proc(5) is the start time. The name is in parentheses and may contain any character.
    return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  }
  const response = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => undefined)
  const text = response?.stdout.trim()
  return text === undefined || text === '' ? undefined : text.replaceAll(/[^\w]/g, '')
}
