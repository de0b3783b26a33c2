import { appendFile, readFile, rename, writeFile } from 'node:fs/promises'
import { stateFile } from '../profiles/folders.ts'
import type { Account } from './connect.ts'

/** A line of the journal. A line with `job` and `sources` records a job that is about to be sent. */
type Line = { at: number } & (
  | { job: string; sources: readonly string[] }
  | { job: string; path: string; sha256: string; request?: SavedRequest }
  /** Records that a file was uploaded. `source` is `null` if the upload was deleted later. */
  | { file: string; source: string | null; name?: string }
)

/** A finished request, as it was when the result was saved. */
export type SavedRequest = { id: number; result: { data: Record<string, unknown> } }

/** How long a line is valid. The service keeps idempotency keys and uploads for 24 hours; a run may need one hour. */
const KEPT_MS = 23 * 3_600_000

/** Records work, so that no job is charged twice. Each line is one write, so killed or parallel runs do no damage. */
export class Journal {
  readonly #path: string
  readonly #sources = new Map<string, readonly string[]>()
  readonly #saved = new Map<string, Saved>()
  readonly #uploads = new Map<string, string>()
  readonly #names = new Map<string, string>()

  private constructor(path: string, lines: readonly Line[]) {
    this.#path = path
    for (const line of lines) this.#learn(line)
  }

  static async open(account: Account): Promise<Journal> {
    const path = await stateFile(account, 'jsonl')
    const all = parseLines(await readFile(path, 'utf8').catch(() => ''))
    const lines = all.filter(({ at }) => Date.now() - at < KEPT_MS)
    if (lines.length < all.length / 2) await rewrite(path, lines)
    return new Journal(path, lines)
  }

  /** Returns the sources that a job was sent with. Only a repeated call with these sources finds the same request. */
  sourcesOf(job: string): readonly string[] | undefined {
    return this.#sources.get(job)
  }

  savedAt(job: string, path: string): Saved | undefined {
    return this.#saved.get(`${job} ${path}`)
  }

  uploadOf(file: string): string | undefined {
    return this.#uploads.get(file)
  }

  /** Returns the name of a file that this machine uploaded. `undefined` for other uploads. */
  nameOf(source: string): string | undefined {
    return this.#names.get(source)
  }

  async begin(job: string, sources: readonly string[]): Promise<void> {
    await this.#add({ at: Date.now(), job, sources })
  }

  async save(job: string, path: string, { sha256, request }: Saved): Promise<void> {
    await this.#add({ at: Date.now(), job, path, sha256, ...(request !== undefined && { request }) })
  }

  async upload(file: string, source: string | null, name?: string): Promise<void> {
    await this.#add({ at: Date.now(), file, source, ...(name !== undefined && { name }) })
  }

  async #add(line: Line): Promise<void> {
    this.#learn(line)
    await appendFile(this.#path, `${JSON.stringify(line)}\n`, { mode: 0o600 })
  }

  #learn(line: Line): void {
    if ('source' in line && line.source !== null && line.name !== undefined) this.#names.set(line.source, line.name)
    if ('sources' in line) this.#sources.set(line.job, line.sources)
    else if ('path' in line) this.#saved.set(`${line.job} ${line.path}`, line)
    else if (line.source === null) this.#uploads.delete(line.file)
    else this.#uploads.set(line.file, line.source)
  }
}

/** The digest of a saved result, and its request. Journals of older versions contain no requests. */
type Saved = { sha256: string; request?: SavedRequest | undefined }

/** Parses the journal. Skips an incomplete line of a killed run. */
function parseLines(text: string): Line[] {
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Line]
    } catch {
      return []
    }
  })
}

async function rewrite(path: string, lines: readonly Line[]): Promise<void> {
  const draft = `${path}.${process.pid}`
  await writeFile(draft, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 })
  await rename(draft, path)
}
