import type { PdfObjects } from '../pdf/objects.ts'
import { MAX_STEPS } from '../pdf/objects.ts'
import type { PdfText } from '../pdf/syntax.ts'
import { readReference } from '../pdf/syntax.ts'

export type Evaluator<T> = (value: PdfText | undefined, references: References) => T

export class References {
  readonly #objects: PdfObjects
  readonly #next = new Map<number, number | undefined>()
  readonly #results = new Map<Evaluator<unknown>, Map<number, unknown>>()

  constructor(objects: PdfObjects) {
    this.#objects = objects
  }

  evaluate<T>(evaluator: Evaluator<T>, value: PdfText | undefined): T {
    if (readReference(value) === undefined) return evaluator(value, this)
    const number = this.#last(value)
    if (number === undefined) return evaluator(undefined, this)
    const results = (this.#results.get(evaluator) ?? new Map()) as Map<number, T>
    this.#results.set(evaluator, results)
    const known = results.get(number)
    if (known !== undefined || results.has(number)) return known as T
    const result = evaluator(this.#objects.text(number), this)
    results.set(number, result)
    return result
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
