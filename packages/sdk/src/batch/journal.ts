import { MediamillError } from '../errors/mediamill-error.ts'
import { lockFile } from './lock-file.ts'
import { nodeFiles } from './node-files.ts'

/** The journal's record of one job. A job is the work on one source. */
export type JournalJob = {
  /** The time at which attempt number `attempt` was first sent, as Unix time in milliseconds. */
  begun?: number
  attempt?: number
  request?: number
}

/** The journal of a batch. It records which requests were sent, and the ids of requests that succeeded. */
export type Journal = {
  /** A part of every idempotency key of the batch, so that a batch with a new journal file starts new requests. */
  readonly id: string
  find: (key: string) => JournalJob | undefined
  note: (key: string, job: JournalJob) => Promise<void>
  close: () => Promise<void>
}

const HEADER = '{"mediamill_journal":"'

export function memoryJournal(): Journal {
  const jobs = new Map<string, JournalJob>()
  return {
    id: crypto.randomUUID(),
    find: (key) => jobs.get(key),
    note: async (key, job) => void jobs.set(key, { ...jobs.get(key), ...job }),
    close: async () => {},
  }
}

/**
 * Opens or creates the journal file. Only one process can open it at a time.
 *
 * An idempotency key is a hash of the journal's id, the endpoint, the parameters, and the digests of their files. If a
 * process is killed while it writes a line, the next run ignores this line, and finds the request by its key.
 */
export async function openJournal(path: string): Promise<Journal> {
  const files = nodeFiles()
  const unlock = await lockFile(`${path}.lock`)
  try {
    const text = await files.readFile(path, 'utf8').catch((error: unknown) => {
      if ((error as { code?: unknown }).code === 'ENOENT') return ''
      throw error
    })
    const [first = '', ...lines] = text.split('\n')
    const header = lines.length === 0 ? undefined : idOf(first)
    const isNew = lines.length === 0 && HEADER.startsWith(first.slice(0, HEADER.length))
    if (header === undefined && !isNew) throw new MediamillError(`${path} exists, and is not a journal of a batch.`)
    const id = header ?? crypto.randomUUID()
    const jobs = readJobs(lines)
    if (isNew && text !== '') await files.truncate(path)
    const handle = await files.open(path, 'a', 0o600)
    if (isNew) await handle.appendFile(`${HEADER}${id}"}\n`)
    else if (!text.endsWith('\n')) await handle.appendFile('\n')
    await handle.sync()
    return {
      id,
      find: (key) => jobs.get(key),
      async note(key, job) {
        jobs.set(key, { ...jobs.get(key), ...job })
        await handle.appendFile(`${JSON.stringify({ key, ...job })}\n`)
      },
      async close() {
        await handle.close()
        await unlock()
      },
    }
  } catch (error) {
    await unlock()
    throw error
  }
}

function idOf(line: string): string | undefined {
  const id = (parse(line) as { mediamill_journal?: unknown } | undefined)?.mediamill_journal
  return typeof id === 'string' && id.length > 0 ? id : undefined
}

function readJobs(lines: readonly string[]): Map<string, JournalJob> {
  const jobs = new Map<string, JournalJob>()
  for (const line of lines) {
    const { key, ...job } = (parse(line) ?? {}) as JournalJob & { key?: string }
    if (key !== undefined) jobs.set(key, { ...jobs.get(key), ...job })
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
