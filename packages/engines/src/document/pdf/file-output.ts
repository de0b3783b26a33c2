import type { PdfText } from './syntax.ts'

export type ObjectLocation = { offset: number } | { container: number; index: number }

export class FileOutput {
  readonly locations = new Map<number, ObjectLocation>()
  readonly #parts: Buffer[] = []
  #length = 0
  #run: { bytes: Buffer; start: number; end: number } | undefined

  get length(): number {
    return this.#length
  }

  startObject(number: number): this {
    this.locations.set(number, { offset: this.#length })
    return this
  }

  copy(bytes: Buffer, start: number, end: number): void {
    if (this.#run?.bytes === bytes && this.#run.end === start) this.#run.end = end
    else {
      this.#endRun()
      this.#run = { bytes, start, end }
    }
    this.#length += end - start
  }

  write(text: string, data?: Buffer): void {
    this.#endRun()
    const bytes = Buffer.from(text, 'latin1')
    this.#parts.push(bytes, ...(data === undefined ? [] : [data]))
    this.#length += bytes.length + (data?.length ?? 0)
  }

  object(number: number, text: PdfText, data: Buffer | undefined): void {
    if (data === undefined) return this.write(`${number} 0 obj\n${text}\nendobj\n`)
    this.write(`${number} 0 obj\n${text}\nstream\n`, data)
    this.write('\nendstream\nendobj\n')
  }

  finish(): Buffer[] {
    this.#endRun()
    return this.#parts
  }

  #endRun(): void {
    if (this.#run !== undefined) this.#parts.push(this.#run.bytes.subarray(this.#run.start, this.#run.end))
    this.#run = undefined
  }
}
