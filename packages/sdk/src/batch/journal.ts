import { builtinModule } from '../environment.ts'
import { MediamillError } from '../errors/mediamill-error.ts'

/** The record of a job in the journal. A job is the work on one source. */
export type JournalJob = {
  /** The time at which attempt number `attempt` was first sent, as Unix time in milliseconds. */
  begun: number
  attempt: number
  request?: number
  /** The SHA-256 digests of the result files of a request that succeeded. */
  files?: readonly string[]
}

export type Journal = {
  /** A part of every idempotency key, so that a batch with a new journal file starts new requests. */
  readonly id: string
  find: (key: string) => JournalJob | undefined
  note: (key: string, job: JournalJob) => Promise<void>
}

type Files = {
  open: (path: string, flags: 'a', mode: number) => Promise<Handle>
  readFile: (path: string, encoding: 'utf8') => Promise<string>
  appendFile: (path: string, text: string) => Promise<void>
}
type Handle = {
  appendFile: (text: string) => Promise<void>
  sync: () => Promise<void>
  close: () => Promise<void>
}

const HEADER = '{"mediamill_journal":"'

export const journalHeader = (id: string): string => `${HEADER}${id}"}`

export function memoryJournal(): Journal {
  const jobs = new Map<string, JournalJob>()
  return { id: crypto.randomUUID(), find: (key) => jobs.get(key), note: async (key, job) => void jobs.set(key, job) }
}

/**
 * Opens the journal in a file. Several processes can use the file at the same time, because each line is one write. If
 * a process is killed while it writes a line, the next run ignores the line, and finds the request by its idempotency
 * key.
 */
export async function openJournal(path: string): Promise<Journal> {
  const files = builtinModule<Files>('node:fs/promises')
  if (files === undefined)
    throw new MediamillError('A journal requires a runtime with file access: Node.js, Bun, or Deno.')
  const read = async () =>
    await files.readFile(path, 'utf8').catch((error: unknown) => {
      if ((error as { code?: unknown }).code === 'ENOENT') return ''
      throw error
    })
  let text = await read()
  if (idOf(text) === undefined) {
    // A file that ends within its first line is from a process that was killed before it sent anything.
    const isNew = !text.includes('\n') && HEADER.startsWith(text.slice(0, HEADER.length))
    if (!isNew) throw new MediamillError(`${path} exists, and is not a journal of a batch.`)
    await appendDurably(files, path, `${text === '' ? '' : '\n'}${journalHeader(crypto.randomUUID())}\n`)
    // If several processes append a header, all processes use the first header.
    text = await read()
  } else if (!text.endsWith('\n')) await files.appendFile(path, '\n')
  const id = idOf(text)
  if (id === undefined) throw new MediamillError(`${path} was changed while it was opened.`)
  const jobs = readJobs(text)
  return {
    id,
    find: (key) => jobs.get(key),
    async note(key, job) {
      jobs.set(key, job)
      await files.appendFile(path, `${JSON.stringify({ key, ...job })}\n`)
    },
  }
}

/** Appends to a file, and flushes it to disk. If a power failure lost the journal's id, all sources would run again. */
async function appendDurably(files: Files, path: string, text: string): Promise<void> {
  const handle = await files.open(path, 'a', 0o600)
  try {
    await handle.appendFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function idOf(text: string): string | undefined {
  const complete = text.split('\n').slice(0, -1)
  // A first line without an end, of a killed process, may precede the header.
  const ids = complete.slice(0, 2).map((line) => (parse(line) as { mediamill_journal?: unknown })?.mediamill_journal)
  return ids.find((id): id is string => typeof id === 'string' && id.length > 0)
}

export function readJobs(text: string): Map<string, JournalJob> {
  const jobs = new Map<string, JournalJob>()
  for (const line of text.split('\n')) {
    const { key, ...job } = (parse(line) ?? {}) as JournalJob & { key?: string }
    if (key !== undefined) jobs.set(key, job)
  }
  return jobs
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
