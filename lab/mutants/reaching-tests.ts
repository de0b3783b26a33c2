import { posix } from 'node:path'
import { importsOf } from '../support/import-graph.ts'
import { maskSource } from '../support/source-text.ts'
import type { SourceFile } from '../support/violation.ts'

/**
 * The stories that see what a part of the packages promises, by the beginning of the path. Every beginning that fits counts.
 * Through the whole service a journey reaches every file, so that imports do not tell which.
 */
const JOURNEYS: readonly (readonly [begin: string, journeys: readonly string[]])[] = [
  ['packages/server/src/db/accounts', ['account', 'usage', 'keys', 'credit']],
  ['packages/server/src/db/uploads', ['uploads', 'resumable-uploads', 'stamps']],
  ['packages/server/src/db/events', ['webhooks', 'events', 'event-streams']],
  ['packages/server/src/db/', ['requests', 'accepting']],
  ['packages/server/src/uploads', ['uploads', 'resumable-uploads']],
  ['packages/server/src/requests/events', ['events', 'event-streams']],
  ['packages/server/src/requests/', ['requests', 'idempotency', 'deleted-files', 'waiting']],
  ['packages/server/src/worker/stamps', ['stamps']],
  ['packages/server/src/worker/attempt-span', ['traces']],
  ['packages/server/src/worker/parts', ['long-video', 'long-video-ended']],
  ['packages/server/src/db/parts', ['long-video', 'long-video-ended']],
  ['packages/server/src/worker/', ['images', 'failures', 'destinations', 'videos']],
  ['packages/server/src/outbound/', ['failures', 'destinations']],
  ['packages/server/src/webhooks/', ['webhooks']],
  ['packages/server/src/http/routes/account', ['account']],
  ['packages/server/src/http/routes/console/preview', ['console/previews']],
  ['packages/server/src/http/routes/console/mail', ['console/mail']],
  [
    'packages/server/src/http/routes/console',
    ['console/operator', 'console/account', 'console/guard', 'console/sign-in', 'console/payments'],
  ],
  ['packages/server/src/http/routes/docs', ['docs']],
  ['packages/server/src/http/routes/estimates', ['estimates']],
  ['packages/server/src/http/routes/check-sources', ['estimates', 'uploads']],
  ['packages/server/src/http/routes/events', ['events', 'event-streams']],
  ['packages/server/src/http/routes/front-door', ['front-door']],
  ['packages/server/src/http/routes/health', ['serve', 'database-away']],
  ['packages/server/src/http/routes/mcp', ['mcp']],
  ['packages/server/src/http/routes/metrics', ['metrics']],
  ['packages/server/src/http/routes/processing', ['requests', 'limits', 'idempotency', 'credit']],
  ['packages/server/src/http/routes/requests', ['requests', 'waiting']],
  ['packages/server/src/http/routes/results', ['images', 'links', 'own-results']],
  ['packages/server/src/http/routes/stamps', ['stamps']],
  ['packages/server/src/http/routes/uploads', ['uploads', 'resumable-uploads', 'stalled-uploads']],
  ['packages/server/src/http/routes/usage', ['usage']],
  ['packages/server/src/http/hooks/authenticate', ['keys', 'errors']],
  ['packages/server/src/http/hooks/cors', ['cors']],
  ['packages/server/src/http/hooks/log-calls', ['logs']],
  ['packages/server/src/http/hooks/patience', ['errors']],
  ['packages/server/src/http/hooks/trace-calls', ['traces', 'untraced']],
  ['packages/server/src/http/description/errors-page', ['error-pages', 'docs']],
  ['packages/server/src/http/description', ['description', 'docs']],
  ['packages/server/src/http/await-end', ['waiting']],
  ['packages/server/src/http/held-calls', ['waiting']],
  ['packages/server/src/http/prefer', ['waiting']],
  ['packages/server/src/http/near-routes', ['mistakes']],
  ['packages/server/src/http/query', ['requests', 'usage', 'events']],
  ['packages/server/src/http/', ['errors', 'requests']],
  ['packages/media/src/plan/image', ['images', 'estimates']],
  ['packages/media/src/plan/video', ['videos', 'estimates']],
  ['packages/media/src/plan/document', ['documents', 'estimates']],
  ['packages/media/src/plan/', ['images', 'videos', 'documents']],
  ['packages/contract/src/operations/', ['images', 'filters']],
]

/** Returns the journeys that see what a file promises, by their paths. */
export const journeysOf = (path: string): string[] => [
  ...new Set(
    JOURNEYS.filter(([begin]) => path.startsWith(begin)).flatMap(([, names]) =>
      names.map((name) => `packages/server/test/journeys/${name}.test.ts`),
    ),
  ),
]

/** A named piece of a file that others may call: a function, a class or a constant of its top level. */
type Piece = { path: string; name: string; start: number; end: number; text: string }

function piecesOf({ path, text }: SourceFile): Piece[] {
  const heads = [...text.matchAll(/^(?:export )?(?:async )?(?:function\*?|class|const) (\w+)/gm)]
  return heads.map(({ index, 1: name = '' }, at) => {
    const end = heads[at + 1]?.index ?? text.length
    return { path, name, start: index, end, text: text.slice(index, end) }
  })
}

/** A file of tests that reaches a place, and how near it is: below 10 beside it, from 50 on by imports alone. */
export type Reaching = { test: string; rank: number }

const wordsOf = (text: string) => new Set(text.match(/\w+/g))

/**
 * Tells which tests reach a place, the likeliest first. By their imports they reach its file; those that name what the place
 * is in, or what calls that, come before the others, and then those that lie nearest.
 */
export function reachedBy(files: readonly SourceFile[]): (path: string, line: number) => Reaching[] {
  const importers = new Map<string, string[]>()
  const textOf = new Map(files.map(({ path, text }) => [path, text]))
  const pieces = new Map(files.filter(({ path }) => !isTest(path)).map((file) => [file.path, piecesOf(file)]))
  const words = new Map(
    files.filter(({ path }) => isTest(path)).map(({ path, text }) => [path, wordsOf(maskSource(text))]),
  )
  for (const { path, text } of files) {
    for (const { kind, target } of importsOf(path, text)) {
      if (kind === 'type' || target === undefined) continue
      importers.set(target, [...(importers.get(target) ?? []), path])
    }
  }

  /** What the place is in, then what calls that, and so on: three times. */
  function callersOf(path: string, line: number): Piece[][] {
    const lines = (textOf.get(path) ?? '').split('\n').slice(0, line - 1)
    const offset = lines.reduce((sum, one) => sum + one.length + 1, 0)
    const levels = [(pieces.get(path) ?? []).filter(({ start, end }) => start <= offset && offset < end)]
    const seen = new Set(levels[0])
    for (let level = 0; level < 3; level += 1) {
      const found = (levels[level] ?? []).flatMap(({ path: from, name }) => {
        const word = new RegExp(`\\b${name}\\b`)
        const near = [from, ...(importers.get(from) ?? [])].flatMap((one) => pieces.get(one) ?? [])
        return near.filter((one) => !seen.has(one) && word.test(one.text))
      })
      for (const one of found) seen.add(one)
      levels.push([...new Set(found)])
    }
    return levels
  }

  function distancesFrom(path: string): Map<string, number> {
    const distance = new Map([[path, 0]])
    const waiting = [path]
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      for (const importer of importers.get(next) ?? []) {
        if (distance.has(importer)) continue
        distance.set(importer, (distance.get(next) ?? 0) + 1)
        waiting.push(importer)
      }
    }
    return distance
  }

  return (path, line) => {
    const distance = distancesFrom(path)
    const levels = callersOf(path, line)
    const rankOf = (test: string) => {
      const level = levels.findIndex((found) => found.some(({ name }) => words.get(test)?.has(name)))
      const isBeside = (one: string) => test === one.replace(/\.ts$/, '.test.ts')
      // A statement of `db` is tested beside what calls it.
      const beside = isBeside(path) ? 0 : levels.findIndex((found) => found.some((one) => isBeside(one.path)))
      const isNear = posix.dirname(test) === posix.dirname(path)
      const named = 10 * (level === -1 ? 5 : level + 1)
      return Math.min(named, beside === -1 ? named : 10 * beside) + (distance.get(test) ?? 0) + (isNear ? 0 : 0.5)
    }
    const ranked = [...distance.keys()].filter(isUnitTest).map((test) => ({ test, rank: rankOf(test) }))
    return ranked.toSorted((one, other) => one.rank - other.rank)
  }
}

const isTest = (path: string) => path.endsWith('.test.ts')
const isUnitTest = (path: string) => isTest(path) && /^packages\/[\w-]+\/(?:src\/.*|test\/[\w-]+)\.test\.ts$/.test(path)
