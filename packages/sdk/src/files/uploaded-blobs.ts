import type { CompleteUpload } from '../api-types.ts'
import type { Clock } from '../transport/clock.ts'
import { orAborted } from '../transport/or-aborted.ts'
import type { OnUpload } from './resolve-sources.ts'

type Upload = (file: Blob, signal: AbortSignal | undefined, onUpload?: OnUpload) => Promise<CompleteUpload>

/** An upload is not reused for this time before it expires, because a request must start before its upload expires. */
const SPARE_MS = 60 * 60_000

export class UploadedBlobs {
  readonly #clock: Clock
  readonly #upload: Upload
  readonly #known = new WeakMap<Blob, { id: string; source: string; until: number }>()
  readonly #sending = new WeakMap<Blob, { source: Promise<string>; signal: AbortSignal | undefined }>()
  readonly #deleted = new Set<string>()

  constructor(clock: Clock, upload: Upload) {
    this.#clock = clock
    this.#upload = upload
  }

  uploadOf(file: Blob): string | undefined {
    return this.#known.get(file)?.id
  }

  forget(id: string): void {
    this.#deleted.add(id)
  }

  async sourceOf(file: Blob, signal: AbortSignal | undefined, onUpload?: OnUpload): Promise<string> {
    signal?.throwIfAborted()
    const known = this.#known.get(file)
    const isUsable = known !== undefined && !this.#deleted.has(known.id) && known.until > this.#clock.now()
    if (isUsable) return known.source
    const other = this.#sending.get(file)
    if (other === undefined) return await this.#sendFor(file, signal, onUpload)
    try {
      return await orAborted(other.source, signal)
    } catch (error) {
      // Another call aborted the shared upload, so this call uploads the file itself.
      if (!other.signal?.aborted) throw error
      return await this.sourceOf(file, signal, onUpload)
    }
  }

  async #sendFor(file: Blob, signal: AbortSignal | undefined, onUpload?: OnUpload): Promise<string> {
    const source = this.#upload(file, signal, onUpload).then((upload) => {
      // Compare two times of the service, because this machine's clock may be wrong.
      const keptMs = Date.parse(upload.expires_at) - Date.parse(upload.created_at)
      this.#known.set(file, { ...upload, until: this.#clock.now() + keptMs - SPARE_MS })
      return upload.source
    })
    this.#sending.set(file, { source, signal })
    try {
      return await source
    } finally {
      this.#sending.delete(file)
    }
  }
}
