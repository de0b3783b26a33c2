import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { JournalJob } from '@mediamill/sdk/src/batch/journal'
import { journalHeader, readJobs } from '@mediamill/sdk/src/batch/journal'
import { accountDigest, stateFile } from '../profiles/folders.ts'
import type { Account } from './connect.ts'

/**
 * How long the journal keeps a job. It is an hour less than the 24 hours for which the service keeps idempotency keys,
 * because a run takes time.
 */
const KEPT_MS = 23 * 3_600_000

/** The journal of all commands with the same URL and key. */
type AccountJournal = { path: string; jobs: ReadonlyMap<string, JournalJob> }

/**
 * Opens the journal, and removes old jobs. The journal's id depends only on the URL and the key, so that a command on
 * another machine, or after a loss of the journal, sends the same idempotency keys.
 */
export async function openJournal(account: Account): Promise<AccountJournal> {
  const path = await stateFile(account, 'jsonl')
  const header = journalHeader(accountDigest(account))
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
  const recent = lines.filter((line) => Date.now() - Number(parse(line)['begun'] ?? 0) < KEPT_MS)
  const text = `${[header, ...recent].join('\n')}\n`
  if (lines[0] !== header || recent.length < lines.length - 1) await rewrite(path, text)
  return { path, jobs: readJobs(text) }
}

/** Records the file name of an upload, for `mediamill requests`. */
export async function noteName(account: Account, source: string, file: string): Promise<void> {
  const line = JSON.stringify({ source, name: basename(file), begun: Date.now() })
  await appendFile(await stateFile(account, 'jsonl'), `${line}\n`, { mode: 0o600 })
}

export async function readNames(account: Account): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(await stateFile(account, 'jsonl'), 'utf8').catch(() => '')
  return new Map(
    text.split('\n').flatMap((line): [string, string][] => {
      const { source, name } = parse(line)
      return typeof source === 'string' && typeof name === 'string' ? [[source, name]] : []
    }),
  )
}

/** Parses a line. Returns an empty object for an incomplete line, which a killed run can leave. */
function parse(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return {}
  }
}

async function rewrite(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}`
  try {
    await writeFile(draft, text, { mode: 0o600 })
    await rename(draft, path)
  } catch (cause) {
    await rm(draft, { force: true })
    throw new OperatorError(
      `${path}, the record of sent requests, cannot be written (${(cause as NodeJS.ErrnoException).code}). Set XDG_STATE_HOME to a folder that you can write to.`,
      { cause },
    )
  }
}
