import type { AccountId } from '@mediamill/contract/domain/ids'
import type { Tier } from '@mediamill/contract/domain/limits'
import {
  MAX_UPLOAD_PARTS,
  MIN_STORED_BYTES,
  newUploadId,
  SHORT_CHUNKS,
  UPLOAD_LIFE_MS,
  UPLOADS_AT_ONCE,
} from '@mediamill/contract/domain/uploads'
import { hasFreeSlot } from '../accounts/shared-slots.ts'
import type { Runner, Sql } from '../db/connection/connect.ts'
import { findDeletedUploads } from '../db/uploads/delete.ts'
import type { FormFile } from '../db/uploads/form-files.ts'
import { abandonFiles, reserveFile } from '../db/uploads/form-files.ts'
import type { InsertedPart } from '../db/uploads/parts.ts'
import {
  appendPart,
  completeUpload,
  deletePart,
  endPart,
  insertPart,
  listParts,
  renewParts,
} from '../db/uploads/parts.ts'
import type { UploadOwner, UploadRow } from '../db/uploads/uploads.ts'
import { findUploads, insertUpload, readUsedQuota } from '../db/uploads/uploads.ts'
import type { Store } from '../store/store.ts'
import { newUploadKey } from '../store/store.ts'
import {
  emptyUpload,
  offsetMismatch,
  quotaExceeded,
  serverIsFull,
  tooManyShortChunks,
  tooManyUploads,
  uploadExpired,
} from './errors.ts'
import { readParts } from './read-parts.ts'
import { deleteMarked } from './remove.ts'
import { FileSummary, Summaries } from './summary.ts'

export type { FormFile } from '../db/uploads/form-files.ts'

/** If a process does not renew its unfinished uploads for this time, the cleanup deletes them. */
const LEASE_MS = 60_000
const RENEW_MS = 15_000

const CHECK_MS = 2_000

type Sniff = (head: Buffer) => string | undefined

/**
 * The quota of an upload. `hidesUse`: omit the used bytes from errors, because the visitors of a web page can share a
 * create_only key.
 */
type Allowance = { quotaBytes: number; tier?: Tier | undefined; hidesUse?: boolean | undefined }

type ReadBody = (signal: AbortSignal) => AsyncIterable<Buffer>

type SentFile = { size: number; filename?: string | null; lifeMs?: number; earlier?: readonly FormFile[] }

type OpenBody = { uploadId: string; ending: AbortController; tier: Tier }

export class UploadReceiver implements Disposable {
  readonly #sql: Sql
  readonly #store: Pick<Store, 'write' | 'discard' | 'open'>
  readonly #sniff: Sniff
  readonly #open = new Map<string, OpenBody>()
  readonly #forms = new Set<{ id: AccountId; tier: Tier }>()
  readonly #summaries = new Summaries()
  readonly #waiting = new Set<string>()
  readonly #timers: NodeJS.Timeout[]

  constructor(sql: Sql, store: Pick<Store, 'write' | 'discard' | 'open'>, sniff: Sniff) {
    this.#sql = sql
    this.#store = store
    this.#sniff = sniff
    const every = (ms: number, work: (keys: string[]) => Promise<void>) =>
      setInterval(() => {
        const keys = [...this.#open.keys(), ...this.#waiting]
        if (keys.length > 0) void work(keys).catch(() => undefined)
      }, ms).unref()
    this.#timers = [
      every(RENEW_MS, async (keys) => await renewParts(sql, keys, LEASE_MS)),
      every(CHECK_MS, async (keys) => {
        for (const id of await findDeletedUploads(sql, keys)) this.endBodies(id)
      }),
    ]
  }

  get size(): number {
    return this.#open.size
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  endBodies(uploadId: string): void {
    for (const { uploadId: id, ending } of this.#open.values()) if (id === uploadId) ending.abort(uploadExpired())
  }

  async begin(
    owner: UploadOwner,
    upload: { size: number; filename: string | null; origin: string | null },
    { quotaBytes, hidesUse }: Allowance,
  ): Promise<UploadRow> {
    const created = { ...owner, ...upload, id: newUploadId(), quotaBytes, lifeMs: UPLOAD_LIFE_MS }
    const row = await insertUpload(this.#sql, created)
    if (row !== undefined) return row
    if (hidesUse === true) throw quotaExceeded(upload.size)
    throw quotaExceeded(upload.size, { takenBytes: await readUsedQuota(this.#sql, owner), quotaBytes })
  }

  /**
   * Receives a whole file as a complete upload. If an error occurs, keeps nothing. `alongside` runs in the transaction
   * that completes the upload.
   */
  async receiveWhole(
    owner: UploadOwner,
    { size, filename = null }: { size: number; filename?: string | null },
    allowance: Allowance,
    read: ReadBody,
    alongside?: (tx: Runner, upload: UploadRow) => Promise<void>,
  ): Promise<UploadRow> {
    const file = await this.receiveFile(owner, { size, filename, lifeMs: UPLOAD_LIFE_MS }, allowance, read)
    try {
      return await this.#sql.begin(async (tx) => {
        const part = { key: file.key, uploadId: file.id, start: 0, size: file.size }
        const row = (await appendPart(tx, part)) && (await completeUpload(tx, file))
        // `upload_expired` would be wrong, because no client has the upload's id.
        if (row === undefined) throw new Error('the lease of the upload expired, or a database crash lost its row')
        await alongside?.(tx, row)
        return row
      })
    } catch (error) {
      await this.dropFiles([file])
      throw error
    } finally {
      this.releaseFiles([file])
    }
  }

  /**
   * Receives a file and stores it. `earlier`: earlier files of the same form. Renews the file's lease until
   * `releaseFiles` or `dropFiles` is called.
   */
  async receiveFile(
    owner: UploadOwner,
    { size, filename = null, lifeMs = LEASE_MS, earlier }: SentFile,
    { quotaBytes, tier, hidesUse }: Allowance,
    read: ReadBody,
  ): Promise<FormFile> {
    const id = newUploadId()
    const body = this.#enter(id, tier)
    const { key } = body
    try {
      using _slot = body
      const limits = { quotaBytes, lifeMs, leaseMs: LEASE_MS, atOnce: UPLOADS_AT_ONCE.account }
      const reservation = {
        ...owner,
        ...limits,
        id,
        key,
        size,
        filename,
        earlier: earlier?.map((file) => file.key) ?? [],
      }
      const reserved = await reserveFile(this.#sql, reservation)
      const hasSpace = reserved.takenBytes + Math.max(size, MIN_STORED_BYTES) <= quotaBytes
      // If both limits are reached, a form gets the error for too many uploads, and any other call gets the error for
      // the quota.
      if (reserved.isFull && (hasSpace || earlier !== undefined)) throw tooManyUploads()
      if (!reserved.isReserved) throw quotaExceeded(size, hidesUse === true ? undefined : { ...reserved, quotaBytes })
      this.#waiting.add(key)
      const summary = new FileSummary()
      await this.#write(key, read(body.signal), summary)
      if (summary.bytes === 0) throw emptyUpload()
      return { id, key, size: summary.bytes, ...this.#digestOf(summary) }
    } catch (error) {
      if (this.#waiting.has(key)) await this.dropFiles([{ id, key }])
      throw error
    }
  }

  /** Takes a slot for a form, because a form can stall before its first file. */
  openForm({ id, tier }: { id: AccountId; tier: Tier }): Disposable {
    const own = [...this.#forms].filter((form) => form.id === id).length
    if (own >= UPLOADS_AT_ONCE.account) throw tooManyUploads()
    checkSlots(this.#forms, tier)
    const form = { id, tier }
    this.#forms.add(form)
    return { [Symbol.dispose]: () => void this.#forms.delete(form) }
  }

  /** Stops renewing the leases of files. The request of a form must be accepted within 45 s. */
  releaseFiles(files: readonly FormFile[]): void {
    for (const { key } of files) this.#waiting.delete(key)
  }

  async dropFiles(files: readonly Pick<FormFile, 'id' | 'key'>[]): Promise<void> {
    if (files.length === 0) return
    for (const { key } of files) this.#waiting.delete(key)
    try {
      const ids = await abandonFiles(
        this.#sql,
        files.map(({ id }) => id),
        LEASE_MS,
      )
      await deleteMarked(this.#sql, this.#store, ids)
    } catch {
      // The leases will expire, and the cleanup will delete the uploads.
    }
  }

  async append(
    upload: UploadRow & Pick<Partial<Allowance>, 'quotaBytes' | 'tier'>,
    start: number,
    read: ReadBody,
  ): Promise<UploadRow> {
    const body = this.#enter(upload.id, upload.tier)
    const { key } = body
    let isStored = false
    try {
      using _slot = body
      const before = await this.#announce(upload, key, start)
      const summary = this.#summaries.take(upload.id, start)
      const size = await this.#write(key, read(body.signal), summary)
      if (size === 0) return upload
      if (start + size < upload.size) checkShortChunk(size, before, upload.quotaBytes)
      const row = await appendPart(this.#sql, { key, uploadId: upload.id, start, size })
      if (row === undefined) throw await this.#rejectedChunk(upload)
      isStored = true
      if (summary?.bytes === row.received) this.#summaries.keep(upload.id, summary)
      return row
    } finally {
      if (!isStored) await this.#drop(key, upload.id)
    }
  }

  async finishIfAll(upload: UploadRow): Promise<UploadRow> {
    if (upload.status === 'complete' || !upload.signed || upload.received < upload.size) return upload
    try {
      const summary = this.#summaries.take(upload.id, upload.received) ?? (await this.#readAll(upload.id))
      const completed = await completeUpload(this.#sql, { id: upload.id, ...this.#digestOf(summary) })
      if (completed === undefined) throw uploadExpired()
      return completed
    } catch (error) {
      // Another call may have completed or deleted the upload before this error.
      const [row] = await findUploads(this.#sql, upload, [upload.id])
      if (row === undefined) throw uploadExpired()
      if (row.status === 'complete') return row
      throw error
    }
  }

  async #announce(upload: UploadRow, key: string, start: number): Promise<ReservedBytes> {
    const { accountId, livemode, id } = upload
    const part = { accountId, livemode, uploadId: id, key, start, leaseMs: LEASE_MS }
    const inserted = await this.#sql.begin(
      async (tx) => await insertPart(tx, { ...part, atOnce: UPLOADS_AT_ONCE.account, maxParts: MAX_UPLOAD_PARTS }),
    )
    // The upload was deleted, or another chunk completed it.
    if (inserted === 'gone') throw await this.#rejectedChunk(upload)
    if (inserted === 'full') throw tooManyUploads()
    return inserted
  }

  async #rejectedChunk(upload: UploadRow): Promise<Error> {
    const [row] = await findUploads(this.#sql, upload, [upload.id])
    return row === undefined ? uploadExpired() : offsetMismatch(row.received)
  }

  /**
   * Takes a slot for receiving a file. Throws `concurrency_limited` if no slot is free. The returned `signal` aborts if
   * the upload is deleted.
   */
  #enter(uploadId: string, tier: Tier = 'free') {
    checkSlots(this.#open.values(), tier)
    const key = newUploadKey()
    const ending = new AbortController()
    this.#open.set(key, { uploadId, ending, tier })
    return { key, signal: ending.signal, [Symbol.dispose]: () => void this.#open.delete(key) }
  }

  async #write(key: string, chunks: AsyncIterable<Buffer>, summary: FileSummary | undefined): Promise<number> {
    let size = 0
    async function* summarized() {
      for await (const chunk of chunks) {
        size += chunk.length
        summary?.add(chunk)
        yield chunk
      }
    }
    await this.#store.write(key, summarized())
    return size
  }

  #digestOf(summary: FileSummary): { sha256: string; format: string | null } {
    return { sha256: summary.sha256(), format: this.#sniff(summary.head()) ?? null }
  }

  async #readAll(id: string): Promise<FileSummary> {
    const summary = new FileSummary()
    for await (const chunk of readParts(this.#store, await listParts(this.#sql, id))) summary.add(chunk)
    return summary
  }

  async #drop(key: string, uploadId: string): Promise<void> {
    try {
      if (!(await endPart(this.#sql, key))) return
      await this.#store.discard(key)
      await deletePart(this.#sql, key)
      await deleteMarked(this.#sql, this.#store, [uploadId])
    } catch {
      // The database still has the key of the file, so the cleanup can delete the file.
    }
  }
}

function checkSlots(used: Iterable<{ tier: Tier }>, tier: Tier): void {
  if (!hasFreeSlot(used, tier, UPLOADS_AT_ONCE)) throw serverIsFull()
}

type ReservedBytes = Exclude<InsertedPart, string>

/**
 * Throws if an upload has too many short chunks. A stranger can have the signed URL, and each short chunk occupies a
 * whole disk block (4 KiB).
 */
function checkShortChunk(bytes: number, { shortChunks, takenBytes }: ReservedBytes, quotaBytes = Infinity): void {
  if (bytes >= SHORT_CHUNKS.bytes) return
  if (shortChunks >= SHORT_CHUNKS.chunks) throw tooManyShortChunks()
  if (takenBytes + MIN_STORED_BYTES - bytes > quotaBytes) throw quotaExceeded(MIN_STORED_BYTES)
}
