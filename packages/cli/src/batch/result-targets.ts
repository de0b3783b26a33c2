import { stat } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { FileExistsError } from '../outputs/save-file.ts'
import { digestOf } from './digest.ts'
import type { Job, Runner } from './job.ts'
import type { PlannedJob } from './plan-jobs.ts'

export type Names = Set<string>

/** Chooses free paths for the result files before the job is charged. `isOurs`: an earlier run saved all files. */
export async function targetFor(
  runner: Runner,
  { job, paths, findsName }: PlannedJob,
  names: Names,
  force: boolean,
): Promise<{ paths: readonly string[]; isOurs: boolean }> {
  if (paths.length === 0 || (force && !findsName)) return { paths, isOurs: false }
  for (let count = 1; ; count += 1) {
    const named = count === 1 ? paths : paths.map((path) => numbered(path, count))
    if (findsName && named.some((path) => names.has(path))) continue
    const found = await Promise.all(named.map((path) => whatIsAt(runner, job, path)))
    const other = named[found.indexOf('another')]
    if (other !== undefined && !findsName) throw new FileExistsError(other)
    if (other !== undefined) continue
    for (const path of named) names.add(path)
    return { paths: named, isOurs: found.every((state) => state === 'ours') }
  }
}

function numbered(path: string, count: number): string {
  const { dir, name, ext } = parse(path)
  return join(dir, `${name}-${count}${ext}`)
}

/** Returns `ours` if a path has this job's result, `another` for another complete file, otherwise `free`. */
async function whatIsAt(runner: Runner, job: Job, path: string): Promise<'free' | 'ours' | 'another'> {
  if ((await stat(path).catch(() => undefined)) === undefined) return 'free'
  const saved = await runner.savedBefore?.(job, path)
  if (saved === undefined) return 'another'
  if (saved === 'begun') return 'free'
  return saved === (await digestOf(path)) ? 'ours' : 'another'
}
