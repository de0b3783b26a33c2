import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { FileExistsError, saveFile } from '../outputs/save-file.ts'
import type { Job } from './job.ts'
import type { Planned, PlannedJob } from './plan-jobs.ts'
import type { Done, Finished, MadeFile, Ready, Runner } from './runner.ts'

/**
 * The outcome of one input. `isOld` is true if an earlier run has already saved the result. `sameAs` is the label of an
 * earlier input of this run with the same request.
 */
export type Ended = { planned: Planned; sameAs?: string | undefined } & (
  | { ok: true; done?: Done; paths: readonly string[]; isOld: boolean }
  | { ok: false; error: unknown }
)

export type Listener = {
  began: (planned: Planned) => void
  progressed: (planned: Planned, text: string) => void
  ended: (ended: Ended) => Promise<void> | void
}

type BatchOptions = { force: boolean; isJson: boolean; signal: AbortSignal; listener: Listener }

const SAVED_AT_ONCE = 8

/** Runs the jobs in parallel. If one fails, the others continue. Throws only if no further job can run. */
export async function runBatch(runner: Runner, planned: readonly Planned[], options: BatchOptions): Promise<Ended[]> {
  const { signal, listener } = options
  const ended: Ended[] = []
  const end = async (one: Ended) => {
    signal.throwIfAborted()
    ended.push(one)
    await listener.ended(one)
  }
  const results = runner.run(readyJobs(runner, planned, options, end), {
    onProgress: (one, text) => listener.progressed(one.planned, text),
  })
  const iterator = results[Symbol.asyncIterator]()
  const firsts = new Map<number, string>()
  // The loops share one iterator, so that each result is saved once.
  const save = async () => {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      // Runs before the save: the first input of a request is the input that is charged, even if its result is saved
      // last.
      const sameAs = firstOf(firsts, next.value)
      await end({ ...(await saveAll(next.value, options.force)), sameAs })
    }
  }
  await Promise.all(Array.from({ length: SAVED_AT_ONCE }, save))
  return ended
}

/** Returns the label of the first input with the same request. For the first input, stores its label instead. */
function firstOf(firsts: Map<number, string>, finished: Finished): string | undefined {
  const id = finished.ok ? finished.done.request?.id : undefined
  if (id === undefined) return undefined
  const first = firsts.get(id)
  if (first === undefined) firsts.set(id, finished.planned.input.label)
  return first
}

/** Yields the jobs to run. Ends inputs that are invalid, have no free path, or were saved by an earlier run. */
async function* readyJobs(
  runner: Runner,
  planned: readonly Planned[],
  { force, isJson, signal, listener }: BatchOptions,
  end: (one: Ended) => Promise<void>,
): AsyncGenerator<Ready, undefined> {
  const names: Names = new Set()
  for (const one of planned) {
    signal.throwIfAborted()
    listener.began(one)
    try {
      if ('rejection' in one) throw one.rejection
      const { paths, isOurs } = await targetFor(runner, one, names, force)
      if (!isOurs) yield { planned: one, job: one.job, paths }
      else {
        // Only the JSON output shows the request, and fetching it costs a call.
        const before = isJson ? await runner.doneBefore?.(one.job) : undefined
        await end({ planned: one, ok: true, ...(before !== undefined && { done: before }), paths, isOld: true })
      }
    } catch (error) {
      await end({ planned: one, ok: false, error })
    }
  }
  return undefined
}

async function saveAll(finished: Finished, force: boolean): Promise<Ended> {
  const { planned, paths } = finished
  if (!finished.ok) return { planned, ok: false, error: finished.error }
  try {
    for (const [index, file] of finished.done.files.entries()) await save(file, paths[index], force)
    return { planned, ok: true, done: finished.done, paths, isOld: false }
  } catch (error) {
    return { planned, ok: false, error }
  }
}

async function save(file: MadeFile, path: string | undefined, force: boolean): Promise<void> {
  if (path === undefined) return await writeToStdout(file)
  try {
    await saveFile(path, force, (draft) => file.saveTo(draft))
  } catch (error) {
    // An earlier run saved this file, but not the other outputs of the same request.
    if (error instanceof FileExistsError && (await digestOf(path)) === file.sha256) return
    throw error
  }
}

/** Writes a result to stdout. First downloads the file to disk, so that stdout gets no bytes with a wrong digest. */
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

type Names = Set<string>

/** Chooses free paths for the results before the job is charged. `isOurs` is true if an earlier run saved all files. */
async function targetFor(
  runner: Runner,
  { job, paths, findsName }: PlannedJob,
  names: Names,
  force: boolean,
): Promise<{ paths: readonly string[]; isOurs: boolean }> {
  if (paths.length === 0 || (force && !findsName)) return { paths, isOurs: false }
  for (let count = 1; ; count += 1) {
    const named = count === 1 ? paths : paths.map((path) => numbered(path, count))
    if (findsName && named.some((path) => names.has(path))) continue
    const found = await Promise.all(named.map((path, index) => pathState(runner, job, path, index)))
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

/** Returns whether a path is free. Returns `ours` if an earlier run of this job saved the file at the path. */
async function pathState(runner: Runner, job: Job, path: string, index: number): Promise<'free' | 'ours' | 'another'> {
  if ((await stat(path).catch(() => undefined)) === undefined) return 'free'
  const saved = (await runner.filesBefore?.(job))?.[index]
  return saved !== undefined && saved === (await digestOf(path)) ? 'ours' : 'another'
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
