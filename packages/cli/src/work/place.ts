import { stat } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { FileExistsError } from '../outputs/save-new.ts'
import { digestOf } from './digest.ts'
import type { Job, Runner } from './job.ts'
import type { PlannedJob } from './plan-jobs.ts'

/** Paths that this command has chosen for results. */
export type Names = Set<string>

/**
 * Returns the path of a result before anything is charged. `isOurs` reports whether an earlier run saved this result
 * there.
 *
 * Throws `FileExistsError` if another file has this path, unless `force` is set or the command chooses the name.
 */
export async function placeFor(
  runner: Runner,
  { job, path, findsName }: PlannedJob,
  names: Names,
  force: boolean,
): Promise<{ path: string | undefined; isOurs: boolean }> {
  if (path === undefined || (force && !findsName)) return { path, isOurs: false }
  const { dir, name, ext } = parse(path)
  for (let count = 1; ; count += 1) {
    const named = count === 1 ? path : join(dir, `${name}-${count}${ext}`)
    if (findsName && names.has(named)) continue
    const found = await whatIsAt(runner, job, named)
    if (found === 'another' && !findsName) throw new FileExistsError(named)
    if (found === 'another') continue
    names.add(named)
    return { path: named, isOurs: found === 'ours' }
  }
}

/**
 * Returns the state of a path: no file, this result, or another file. Also returns `free` if an earlier run may have
 * been killed right after it saved its result.
 */
async function whatIsAt(runner: Runner, job: Job, path: string): Promise<'free' | 'ours' | 'another'> {
  if ((await stat(path).catch(() => undefined)) === undefined) return 'free'
  const saved = await runner.savedBefore?.(job, path)
  if (saved === undefined) return 'another'
  if (saved === 'begun') return 'free'
  return saved === (await digestOf(path)) ? 'ours' : 'another'
}
