import { setInterval } from 'node:timers'
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
import { abandonUpload, findDeletedUploads } from '../db/uploads/delete.ts'
import type { FormFile } from '../db/uploads/form-files.ts'
import { abandonFormFiles, reserveFormFile } from '../db/uploads/form-files.ts'
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
import { FileSummary } from './summary.ts'

export type { FormFile } from '../db/uploads/form-files.ts'

/** If a process does not renew its unfinished uploads for this time, the cleanup deletes them. */
const LEASE_MS = 60_000
const RENEW_MS = 15_000

const CHECK_MS = 2_000

/** How many `FileSummary` objects to keep. An upload without a summary is read from the store when it completes. */
const MAX_KEPT = 200

type Sniff = (head: Buffer) => string | undefined

/**
 * `tier`: the tier of the account. Default: `free`, which has fewer slots. `hidesUse`: errors omit the bytes that the
 * account uses. The visitors of a web page can share a create_only key, and must not learn about other visitors.
 */
type Allowance = { quotaBytes: number; tier?: Tier | undefined; hidesUse?: boolean | undefined }

type ReadBody = (signal: AbortSignal) => AsyncIterable<Buffer>

type OpenBody = { uploadId: string; ending: AbortController; tier: Tier }

export class UploadReceiver implements Disposable {
  readonly #sql: Sql
  readonly #store: Pick<Store, 'write' | 'discard' | 'open'>
  readonly #sniff: Sniff
  readonly #open = new Map<string, OpenBody>()
  readonly #forms = new Set<{ id: AccountId; tier: Tier }>()
  readonly #kept = new Map<string, FileSummary>()
  /** The keys of files whose form is still arriving. */
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

  /** Ends all calls of this process that receive bytes for a deleted upload. The calls return `upload_expired`. */
  endBodies(uploadId: string): void {
    this.#kept.delete(uploadId)
    for (const { uploadId: id, ending } of this.#open.values()) if (id === uploadId) ending.abort(uploadExpired())
  }

  /** Starts an upload of this size. Throws `upload_too_large` if the size exceeds the account's quota. */
  async begin(
    owner: UploadOwner,
    upload: { size: number; signed: boolean; filename: string | null; origin: string | null },
    { quotaBytes, hidesUse }: Allowance,
  ): Promise<UploadRow> {
    const row = await insertUpload(this.#sql, {
      ...owner,
      ...upload,
      id: newUploadId(),
      quotaBytes,
      lifeMs: UPLOAD_LIFE_MS,
      leaseMs: upload.signed ? UPLOAD_LIFE_MS : LEASE_MS,
    })
    if (row !== undefined) return row
    if (hidesUse === true) throw quotaExceeded(upload.size)
    throw quotaExceeded(upload.size, { takenBytes: await readUsedQuota(this.#sql, owner), quotaBytes })
  }

  /** Receives a file as one upload, or keeps nothing. `alongside` runs in the transaction that completes the upload. */
  async receiveWhole(
    owner: UploadOwner,
    { size, filename = null }: { size: number; filename?: string | null },
    allowance: Allowance,
    read: (summary: FileSummary, signal: AbortSignal) => AsyncIterable<Buffer>,
    alongside?: (tx: Runner, upload: UploadRow) => Promise<void>,
  ): Promise<UploadRow> {
    checkSlots(this.#open.values(), allowance.tier)
    const upload = await this.begin(owner, { size, signed: false, filename, origin: null }, allowance)
    try {
      const summary = new FileSummary()
      await this.append(upload, 0, (signal) => read(summary, signal), { summary, ...allowance })
      const row = await this.#complete(upload.id, summary, alongside)
      // A database crash lost the upload. `upload_expired` would be wrong, because no client has the upload's id.
      if (row === undefined) throw new Error('the database has no row for the upload')
      return row
    } catch (error) {
      await this.#giveUp(upload.id)
      throw error
    }
  }

  /**
   * Receives a file of a form. `earlier`: the files that the form already sent. If an error occurs, nothing is stored.
   * The receiver renews the file's lease until `releaseFiles` or `dropFiles` is called.
   */
  async receiveFormFile(
    owner: UploadOwner,
    { size, earlier }: { size: number; earlier: readonly FormFile[] },
    { quotaBytes, tier = 'free', hidesUse }: Allowance,
    read: (summary: FileSummary, signal: AbortSignal) => AsyncIterable<Buffer>,
  ): Promise<FormFile> {
    checkSlots(this.#open.values(), tier)
    const [id, key] = [newUploadId(), newUploadKey()]
    const ending = new AbortController()
    this.#open.set(key, { uploadId: id, ending, tier })
    try {
      const asked = { ...owner, id, key, size, quotaBytes, leaseMs: LEASE_MS, atOnce: UPLOADS_AT_ONCE.account }
      const reserved = await reserveFormFile(this.#sql, { ...asked, earlier: earlier.map((file) => file.key) })
      if (reserved.isFull) throw tooManyUploads()
      if (!reserved.isReserved) throw quotaExceeded(size, hidesUse === true ? undefined : { ...reserved, quotaBytes })
      this.#waiting.add(key)
      const summary = new FileSummary()
      await this.#store.write(key, read(summary, ending.signal))
      if (summary.bytes === 0) throw emptyUpload()
      const format = this.#sniff(summary.head()) ?? null
      return { id, key, size: summary.bytes, sha256: summary.sha256(), format }
    } catch (error) {
      if (this.#waiting.has(key)) await this.dropFiles([{ id, key }])
      throw error
    } finally {
      this.#open.delete(key)
    }
  }

  /** Takes a slot for a form, which can stall before its first file. Throws if no slot is free. */
  openForm({ id, tier }: { id: AccountId; tier: Tier }): Disposable {
    const own = [...this.#forms].filter((form) => form.id === id).length
    if (own >= UPLOADS_AT_ONCE.account) throw tooManyUploads()
    checkSlots(this.#forms, tier)
    const form = { id, tier }
    this.#forms.add(form)
    return { [Symbol.dispose]: () => void this.#forms.delete(form) }
  }

  /** Stops renewing the leases of a complete form's files. Their request must be accepted within 45 s. */
  releaseFiles(files: readonly FormFile[]): void {
    for (const { key } of files) this.#waiting.delete(key)
  }

  /** Deletes the files of a form whose request was not accepted. If this fails, the cleanup deletes them later. */
  async dropFiles(files: readonly Pick<FormFile, 'id' | 'key'>[]): Promise<void> {
    if (files.length === 0) return
    for (const { key } of files) this.#waiting.delete(key)
    try {
      const ids = await abandonFormFiles(
        this.#sql,
        files.map(({ id }) => id),
        LEASE_MS,
      )
      await deleteMarked(this.#sql, this.#store, ids)
    } catch {
      // The leases will expire, and the cleanup will delete the uploads.
    }
  }

  /**
   * Receives a chunk at the byte `start`. Throws `upload_offset_mismatch` if another chunk arrived first. Rejects a
   * chunk under 64 KiB if the upload has 100 such chunks, or the quota lacks space for a disk block (4 KiB).
   */
  async append(
    upload: UploadRow,
    start: number,
    read: ReadBody,
    { summary, quotaBytes, tier = 'free' }: Partial<Allowance> & { summary?: FileSummary | undefined } = {},
  ): Promise<UploadRow> {
    checkSlots(this.#open.values(), tier)
    const key = newUploadKey()
    const ending = new AbortController()
    this.#open.set(key, { uploadId: upload.id, ending, tier })
    let isStored = false
    try {
      const before = await this.#announce(upload, key, start)
      const count = { bytes: 0 }
      await this.#store.write(key, counted(read(ending.signal), count))
      if (count.bytes === 0) {
        if (!upload.signed) throw emptyUpload()
        return upload
      }
      if (upload.signed && start + count.bytes < upload.size) checkShortChunk(count.bytes, before, quotaBytes)
      const row = await appendPart(this.#sql, { key, uploadId: upload.id, start, size: count.bytes })
      if (row === undefined) throw await this.#lostPlace(upload)
      isStored = true
      if (upload.signed && summary?.bytes === row.received) this.#keep(upload.id, summary)
      return row
    } finally {
      this.#open.delete(key)
      if (!isStored) await this.#drop(key, upload.id)
    }
  }

  /** Removes and returns the `FileSummary` of `received` bytes, if this process has it. The caller adds later bytes. */
  takeSummary(id: string, received: number): FileSummary | undefined {
    if (received === 0) return new FileSummary()
    const kept = this.#kept.get(id)
    this.#kept.delete(id)
    return kept?.bytes === received ? kept : undefined
  }

  /** If all bytes of a signed upload have arrived, completes the upload. Returns the upload's current state. */
  async finishIfAll(upload: UploadRow): Promise<UploadRow> {
    if (upload.status === 'complete' || !upload.signed || upload.received < upload.size) return upload
    try {
      const summary = this.takeSummary(upload.id, upload.received) ?? (await this.#readAll(upload.id))
      const completed = await this.#complete(upload.id, summary)
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
    if (inserted === 'gone') throw upload.signed ? await this.#lostPlace(upload) : uploadExpired()
    if (inserted === 'full') throw tooManyUploads()
    return inserted
  }

  /** Returns the error for a chunk that cannot be appended: the upload was deleted, or another chunk was first. */
  async #lostPlace(upload: UploadRow): Promise<Error> {
    if (!upload.signed) return new Error('the lease of an upload part expired before the part was complete')
    const [row] = await findUploads(this.#sql, upload, [upload.id])
    return row === undefined ? uploadExpired() : offsetMismatch(row.received)
  }

  async #complete(
    id: string,
    summary: FileSummary,
    alongside?: (tx: Runner, upload: UploadRow) => Promise<void>,
  ): Promise<UploadRow | undefined> {
    const complete = { id, sha256: summary.sha256(), format: this.#sniff(summary.head()) ?? null }
    if (alongside === undefined) return await completeUpload(this.#sql, complete)
    return await this.#sql.begin(async (tx) => {
      const completed = await completeUpload(tx, complete)
      if (completed !== undefined) await alongside(tx, completed)
      return completed
    })
  }

  async #readAll(id: string): Promise<FileSummary> {
    const summary = new FileSummary()
    for await (const chunk of readParts(this.#store, await listParts(this.#sql, id))) summary.add(chunk)
    return summary
  }

  #keep(id: string, summary: FileSummary): void {
    this.#kept.set(id, summary)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest)
  }

  /** Deletes a chunk's file, and the upload if it is marked as deleted. If this fails, the cleanup deletes them. */
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

  async #giveUp(id: string): Promise<void> {
    try {
      await abandonUpload(this.#sql, id, LEASE_MS)
      await deleteMarked(this.#sql, this.#store, [id])
    } catch {
      // The lease of the upload will expire, and the cleanup will delete the upload.
    }
  }
}

function checkSlots(used: Iterable<{ tier: Tier }>, tier: Tier = 'free'): void {
  if (!hasFreeSlot(used, tier, UPLOADS_AT_ONCE)) throw serverIsFull()
}

type ReservedBytes = Exclude<InsertedPart, string>

/** Throws if the upload has too many short chunks, or if the quota has no space. Anyone can have the signed URL. */
function checkShortChunk(bytes: number, { shortChunks, takenBytes }: ReservedBytes, quotaBytes = Infinity): void {
  if (bytes >= SHORT_CHUNKS.bytes) return
  if (shortChunks >= SHORT_CHUNKS.chunks) throw tooManyShortChunks()
  if (takenBytes + MIN_STORED_BYTES - bytes > quotaBytes) throw quotaExceeded(MIN_STORED_BYTES)
}

async function* counted(chunks: AsyncIterable<Buffer>, count: { bytes: number }): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    count.bytes += chunk.length
    yield chunk
  }
}
