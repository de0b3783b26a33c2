import { posix } from 'node:path'
import { importsOf } from '../support/import-graph.ts'
import type { SourceFile } from '../support/violation.ts'

/** How many lines before and after a change count as its surroundings. */
const SURROUNDINGS = 12

/**
 * Returns a function that lists the tests that load a file, or that start a program that loads it. Two orders take
 * turns: by the number of imports between test and file, and by the rare words that the test shares with the file and
 * with the lines around the change.
 */
export function nearTests(files: readonly SourceFile[]): (path: string, line: number) => string[] {
  const importers = importersOf(files)
  const sources = new Map(files.map(({ path, text }) => [path, text]))
  const words = new Map(files.map(({ path, text }) => [path, wordsOf(`${path} ${text}`)]))
  const counts = new Map<string, number>()
  for (const word of [...words.values()].flatMap((one) => [...one])) counts.set(word, (counts.get(word) ?? 0) + 1)
  const weightOf = (word: string) => Math.log((files.length + 1) / (counts.get(word) ?? files.length + 1)) ** 2
  const sum = (found: Iterable<string>) => [...found].reduce((total, word) => total + weightOf(word), 0)
  return (path, line) => {
    const lines = (sources.get(path) ?? '').split('\n').slice(Math.max(0, line - SURROUNDINGS), line + SURROUNDINGS)
    const [own, surroundings] = [words.get(path) ?? new Set(), wordsOf(lines.join('\n'))]
    const scoreOf = (test: string) => {
      const known = words.get(test) ?? new Set<string>()
      const shared = sum(own.intersection(known)) + sum(surroundings.intersection(known))
      return shared / Math.sqrt(1 + sum(known))
    }
    const nearest = loadersOf(path, importers)
    const similar = nearest
      .map((test) => ({ test, score: scoreOf(test) }))
      .toSorted((a, b) => b.score - a.score)
      .map(({ test }) => test)
    return [...new Set(similar.flatMap((test, index) => [test, nearest[index] ?? test]))]
  }
}

function importersOf(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const paths = files.map(({ path }) => path)
  const importers = new Map<string, string[]>()
  for (const { path, text } of files) {
    const imports = importsOf(path, text).flatMap(({ kind, target }) => (kind === 'type' ? [] : (target ?? [])))
    const targets = imports.flatMap((target) => (target.includes('*') ? matching(target, paths) : [target]))
    for (const target of new Set([...targets, ...programsIn(path, text)]))
      importers.set(target, [...(importers.get(target) ?? []), path])
  }
  return importers
}

/** Returns the paths that match a path in which `*` replaces text. */
const matching = (target: string, paths: readonly string[]) => paths.filter((path) => posix.matchesGlob(path, target))

/** Returns the TypeScript files that a file names in its text, to start them in another process. */
function programsIn(path: string, text: string): string[] {
  const written = text.matchAll(/(?<!\b(?:from|import) )'([\w./-]+\.ts)'/g)
  return [...written].flatMap(([, name = '']) => [name, posix.join(posix.dirname(path), name)])
}

/** Returns the tests that load a file: fewest imports between them first, then nearest folders. */
function loadersOf(path: string, importers: ReadonlyMap<string, readonly string[]>): string[] {
  const found = new Set([path])
  const tests: string[] = []
  for (let ring = [path]; ring.length > 0; ) {
    ring = [...new Set(ring.flatMap((file) => importers.get(file) ?? []))].filter((file) => !found.has(file))
    for (const file of ring) found.add(file)
    const near = ring.filter((file) => file.endsWith('.test.ts'))
    tests.push(...near.toSorted((a, b) => sharedFolders(b, path) - sharedFolders(a, path)))
  }
  return tests
}

function sharedFolders(one: string, other: string): number {
  const [a, b] = [posix.dirname(one).split('/'), posix.dirname(other).split('/')]
  const different = a.findIndex((folder, index) => folder !== b[index])
  return different === -1 ? a.length : different
}

/** Returns the words of a text in lower case. A name in camel case has several words. */
function wordsOf(text: string): Set<string> {
  const parts = text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return new Set(parts.match(/[a-z]{3,}/g))
}
