/** A signal that aborts after a time with the error `expired()`, or earlier if its parent aborts. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController()
  readonly #parent: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #follow = () => this.#controller.abort(this.#parent.reason)

  constructor(parent: AbortSignal, ms: number, expired: () => Error) {
    this.#parent = parent
    this.#timer = setTimeout(() => this.#controller.abort(expired()), ms)
    if (parent.aborted) this.#follow()
    else parent.addEventListener('abort', this.#follow, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  restart(): void {
    if (!this.#controller.signal.aborted) this.#timer.refresh()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#parent.removeEventListener('abort', this.#follow)
  }
}
