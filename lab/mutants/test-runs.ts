import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Verdict } from '../support/judge.ts'
import { judge } from '../support/judge.ts'

/** How long a test file may take with a fault in it, as long as it was not seen green, and then at least. */
const PATIENCE_MS = 120_000
const LEAST_PATIENCE_MS = 30_000
/** A fault may slow a test down by so much before it counts as hanging: noticed, but badly. */
const TIMES_SLOWER = 5

/** What a file of tests did without any fault: by the text of the project that it ran. */
type Seen = Record<string, { text: string; isRed: boolean; ms: number }>

/** Runs files of tests, and knows which are red without any fault: nothing those say counts. */
export class TestRuns {
  readonly #path: string
  readonly #textOf: (test: string) => string
  readonly #seen: Seen
  readonly #red = new Map<string, Promise<boolean>>()
  readonly #took: ReadonlyMap<string, number>
  readonly #greenMs: Map<string, number>

  private constructor(path: string, textOf: (test: string) => string, seen: Seen, took: ReadonlyMap<string, number>) {
    this.#path = path
    this.#textOf = textOf
    this.#seen = seen
    this.#took = took
    const green = Object.entries(seen).filter(([, { isRed }]) => !isRed)
    this.#greenMs = new Map([
      ...took,
      ...green.map(([test, { ms }]) => [test, Math.max(took.get(test) ?? 0, ms)] as const),
    ])
  }

  /** `textOf` names the text that a file of tests runs, `took` how long each took before. */
  static async open(
    path: string,
    textOf: (test: string) => string,
    took: ReadonlyMap<string, number>,
  ): Promise<TestRuns> {
    const seen = await readFile(path, 'utf8').then(
      (text): Seen => JSON.parse(text),
      (): Seen => ({}),
    )
    return new TestRuns(path, textOf, seen, took)
  }

  /** What a file of tests takes on a machine that has nothing else to do, as far as is known. */
  leastMs(file: string): number | undefined {
    const known = [this.#took.get(file), this.#seen[file]?.ms].filter((ms) => ms !== undefined)
    return known.length === 0 ? undefined : Math.min(...known)
  }

  /** Runs one file of tests; rejects when `over` is aborted first. */
  async run(project: string, file: string, over: AbortSignal): Promise<Verdict> {
    const startedAt = performance.now()
    const known = this.#greenMs.get(file)
    const patienceMs = known === undefined ? PATIENCE_MS : Math.max(LEAST_PATIENCE_MS, known * TIMES_SLOWER)
    const first = await judge(project, [file], patienceMs, over)
    // A machine that is busy with something else makes a test slow: one that hangs does so twice.
    const verdict = first.is === 'hanging' ? await judge(project, [file], 2 * patienceMs, over) : first
    const ms = performance.now() - startedAt
    if (verdict.is === 'green') this.#greenMs.set(file, Math.max(known ?? 0, ms))
    return verdict
  }

  /** Tells whether a file of tests is red in a project without any fault; asked once for each text. */
  async isRed(clean: string, file: string, over: AbortSignal): Promise<boolean> {
    const seen = this.#seen[file]
    if (seen !== undefined && !seen.isRed && seen.text === this.#textOf(file)) return false
    const isRed = this.#red.get(file) ?? this.#look(clean, file, over)
    this.#red.set(file, isRed)
    return await isRed
  }

  async #look(clean: string, file: string, over: AbortSignal): Promise<boolean> {
    const startedAt = performance.now()
    const { is } = await this.run(clean, file, over)
    const ms = Math.round(performance.now() - startedAt)
    this.#seen[file] = { text: this.#textOf(file), isRed: is !== 'green', ms }
    await mkdir(dirname(this.#path), { recursive: true })
    await writeFile(this.#path, JSON.stringify(this.#seen))
    return is !== 'green'
  }
}
