import type { PdfObjects } from './objects.ts'
import type { PdfDictionary, PdfText } from './syntax.ts'
import { writeDictionary } from './syntax.ts'
import type { WholeFile } from './whole-file.ts'

type NewObject = { text: PdfText; data?: Buffer }

/** A stream to add. `entries` does not contain `/Length`. */
export type NewStream = { entries: [string, PdfText][]; data: Buffer }

/** A file with changed, added, and dropped objects. Unchanged objects keep their bytes. */
export class EditedFile implements PdfObjects {
  readonly file: WholeFile
  readonly trailer: PdfDictionary
  readonly changed = new Map<number, NewObject>()
  readonly dropped = new Set<number>()
  #size: number

  constructor(file: WholeFile) {
    this.file = file
    this.trailer = new Map(file.trailer)
    this.#size = file.size
  }

  get size(): number {
    return this.#size
  }

  text(number: number): PdfText | undefined {
    if (this.dropped.has(number)) return undefined
    return this.changed.get(number)?.text ?? this.file.text(number)
  }

  replace(number: number, text: PdfText): void {
    this.changed.set(number, { text })
  }

  add(text: PdfText): number {
    const number = this.#size
    this.#size += 1
    this.changed.set(number, { text })
    return number
  }

  addStream({ entries, data }: NewStream): number {
    const number = this.add('null')
    this.changed.set(number, { text: writeDictionary([...entries, ['Length', String(data.length)]]), data })
    return number
  }

  /** Drops an object. References to it become null (ISO 32000-1, 7.3.10). */
  drop(number: number): void {
    this.dropped.add(number)
    this.changed.delete(number)
  }
}
