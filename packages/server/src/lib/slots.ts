export class Slots {
  readonly #perName: number
  readonly #maxWaiting: number
  readonly #taken = new Map<string, { count: number; waiting: (() => void)[] }>()

  constructor({ perName, maxWaiting }: { perName: number; maxWaiting: number }) {
    this.#perName = perName
    this.#maxWaiting = maxWaiting
  }

  async take(name: string): Promise<Disposable | undefined> {
    const own = this.#taken.get(name) ?? { count: 0, waiting: [] }
    this.#taken.set(name, own)
    if (own.count >= this.#perName) {
      if (own.waiting.length >= this.#maxWaiting) return undefined
      const { promise, resolve } = Promise.withResolvers<void>()
      own.waiting.push(resolve)
      await promise
    } else {
      own.count += 1
    }
    return { [Symbol.dispose]: () => this.#leave(name) }
  }

  #leave(name: string): void {
    const own = this.#taken.get(name)
    if (own === undefined) return
    const next = own.waiting.shift()
    if (next !== undefined) return next()
    own.count -= 1
    if (own.count === 0) this.#taken.delete(name)
  }
}
