import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Failure, Verdict } from './run-test.ts'
import { runTest } from './run-test.ts'

const TIMEOUT_MS = 90_000
const MIN_TIMEOUT_MS = 60_000
/** A test file counts as hanging if, in the changed project, it needs this many times its usual duration. */
const TIMES_SLOWER = 5
/** A file that needs this many times its usual duration hangs, even on a busy machine, so it does not run again. */
const TIMES_HANGING = 8

type Seen = Record<string, { text: string; hasPassed: boolean; ms: number }>

/** Runs test files in changed projects. Ignores test files that also fail in the unchanged project. */
export class TestRuns {
  readonly #path: string
  readonly #textOf: (test: string) => string
  readonly #seen: Seen
  readonly #failing = new Map<string, Promise<boolean>>()
  readonly #durations: Map<string, number>

  private constructor(path: string, textOf: (test: string) => string, seen: Seen, ms: ReadonlyMap<string, number>) {
    this.#path = path
    this.#textOf = textOf
    this.#seen = seen
    const passed = Object.entries(seen).filter(([, { hasPassed }]) => hasPassed)
    this.#durations = new Map([
      ...ms,
      ...passed.map(([test, run]) => [test, Math.max(ms.get(test) ?? 0, run.ms)] as const),
    ])
  }

  /** Reads earlier results. `textOf` returns a hash of the code that a test file runs. `ms` has the known durations. */
  static async open(
    path: string,
    textOf: (test: string) => string,
    ms: ReadonlyMap<string, number>,
  ): Promise<TestRuns> {
    const seen = await readFile(path, 'utf8').then(
      (text): Seen => JSON.parse(text),
      (): Seen => ({}),
    )
    return new TestRuns(path, textOf, seen, ms)
  }

  /**
   * Returns how a test file fails in a changed project. Returns `undefined` if the file passes, or if it also fails in
   * the unchanged project `clean`. A file that is slow or does not load runs twice, because a busy machine slows tests
   * down.
   */
  async failureOf(file: string, project: string, clean: string): Promise<Failure | undefined> {
    const startedAt = performance.now()
    const first = await this.#run(project, file, 1)
    const ms = performance.now() - startedAt
    if (first.is === 'passed' || (await this.#isFailing(clean, file))) return undefined
    const isHanging = ms > TIMES_HANGING * (this.#durations.get(file) ?? Number.POSITIVE_INFINITY)
    const verdict = first.is === 'failed' || isHanging ? first : await this.#run(project, file, 2)
    return verdict.is === 'passed' ? undefined : verdict
  }

  async #run(project: string, file: string, times: number): Promise<Verdict> {
    const startedAt = performance.now()
    const known = this.#durations.get(file)
    const timeoutMs = known === undefined ? TIMEOUT_MS : Math.max(MIN_TIMEOUT_MS, known * TIMES_SLOWER)
    const verdict = await runTest(project, file, times * timeoutMs)
    if (verdict.is === 'passed') this.#durations.set(file, Math.max(known ?? 0, performance.now() - startedAt))
    return verdict
  }

  /** Returns whether a test file fails without changes. A stored result is valid until code that it runs changes. */
  async #isFailing(clean: string, file: string): Promise<boolean> {
    const seen = this.#seen[file]
    if (seen?.hasPassed === true && seen.text === this.#textOf(file)) return false
    const isFailing = this.#failing.get(file) ?? this.#tryClean(clean, file)
    this.#failing.set(file, isFailing)
    return await isFailing
  }

  async #tryClean(clean: string, file: string): Promise<boolean> {
    const startedAt = performance.now()
    const hasPassed = (await this.#run(clean, file, 2)).is === 'passed'
    this.#seen[file] = { text: this.#textOf(file), hasPassed, ms: Math.round(performance.now() - startedAt) }
    await mkdir(dirname(this.#path), { recursive: true })
    await writeFile(this.#path, JSON.stringify(this.#seen))
    return !hasPassed
  }
}
