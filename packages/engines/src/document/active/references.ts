import type { PdfObjects } from '../pdf/objects.ts'
import { MAX_STEPS } from '../pdf/objects.ts'
import type { PdfText } from '../pdf/syntax.ts'
import { readReference } from '../pdf/syntax.ts'

export type Question<T> = (value: PdfText | undefined, references: References) => T

export class References {
  readonly #objects: PdfObjects
  readonly #next = new Map<number, number | undefined>()
  readonly #responses = new Map<Question<unknown>, Map<number, unknown>>()

  constructor(objects: PdfObjects) {
    this.#objects = objects
  }

  evaluate<T>(question: Question<T>, value: PdfText | undefined): T {
    if (readReference(value) === undefined) return question(value, this)
    const number = this.#last(value)
    if (number === undefined) return question(undefined, this)
    const responses = (this.#responses.get(question) ?? new Map()) as Map<number, T>
    this.#responses.set(question, responses)
    const known = responses.get(number)
    if (known !== undefined || responses.has(number)) return known as T
    const response = question(this.#objects.text(number), this)
    responses.set(number, response)
    return response
  }

  #last(value: PdfText | undefined): number | undefined {
    let number = readReference(value)
    for (let step = 0; number !== undefined && step < MAX_STEPS; step += 1) {
      if (!this.#next.has(number)) this.#next.set(number, readReference(this.#objects.text(number)))
      const next = this.#next.get(number)
      if (next === undefined) return number
      number = next
    }
    return undefined
  }
}
