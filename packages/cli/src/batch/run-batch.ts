import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { FileExistsError, saveFile } from '../outputs/save-file.ts'
import { digestOf } from './digest.ts'
import type { Done, Job, MadeFile, Runner } from './job.ts'
import type { Planned, PlannedJob } from './plan-jobs.ts'

/** The outcome of one input. `isOld`: an earlier run has already saved the result. */
export type Ended = { planned: Planned } & (
  | { ok: true; done?: Done; paths: readonly string[]; isOld: boolean }
  | { ok: false; error: unknown }
)

export type Listener = {
  began: (planned: Planned) => void
  progressed: (planned: Planned, text: string) => void
  ended: (ended: Ended) => Promise<void> | void
}

export type BatchOptions = { concurrency: number | undefined; force: boolean; signal: AbortSignal; listener: Listener }

/** Runs the jobs in parallel. If one fails, the others continue. Throws only if the signal aborts. */
export async function runBatch(runner: Runner, planned: readonly Planned[], options: BatchOptions): Promise<Ended[]> {
  const ended: Ended[] = []
  const waiting = planned.values()
  const names: Names = new Set()
  const work = async () => {
    for (const one of waiting) {
      options.signal.throwIfAborted()
      options.listener.began(one)
      const result = await finish(runner, one, names, options)
      options.signal.throwIfAborted()
      ended.push(result)
      await options.listener.ended(result)
    }
  }
  const slots = Math.min(planned.length, options.concurrency ?? runner.concurrency)
  await Promise.all(Array.from({ length: Math.max(1, slots) }, work))
  return ended
}

async function finish(runner: Runner, planned: Planned, names: Names, options: BatchOptions): Promise<Ended> {
  if ('rejection' in planned) return { planned, ok: false, error: planned.rejection }
  const { job } = planned
  try {
    const target = await targetFor(runner, planned, names, options.force)
    const { paths } = target
    const [first] = paths
    if (target.isOurs && first !== undefined) {
      const before = await runner.requestBefore?.(job, first)
      return { planned, ok: true, ...(before !== undefined && { done: before }), paths, isOld: true }
    }
    const done = await runner.run(job, {
      signal: options.signal,
      onProgress: (text) => options.listener.progressed(planned, text),
    })
    for (const [index, file] of done.files.entries()) {
      const path = paths[index]
      await save(file, path, options.force)
      if (path !== undefined) await runner.noteSaved?.(job, path, file, done)
    }
    return { planned, ok: true, done, paths, isOld: false }
  } catch (error) {
    return { planned, ok: false, error }
  }
}

async function save(file: MadeFile, path: string | undefined, force: boolean): Promise<void> {
  if (path === undefined) return await writeToStdout(file)
  try {
    await saveFile(path, force, (draft) => file.saveTo(draft))
  } catch (error) {
    // An earlier run saved these bytes, but was killed before it recorded the result.
    if (error instanceof FileExistsError && (await digestOf(path)) === file.sha256) return
    throw error
  }
}

/** Downloads the file to disk first, so that stdout gets no bytes with a wrong digest. */
async function writeToStdout(file: MadeFile): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-'))
  try {
    const path = join(folder, 'result')
    await file.saveTo(path)
    await pipeline(createReadStream(path), process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
      throw new OperatorError(`The result could not be written to stdout (${error.code ?? error.message}).`, {
        cause: error,
      })
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

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
