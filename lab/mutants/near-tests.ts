import { posix } from 'node:path'
import { importsOf } from '../support/import-graph.ts'
import type { SourceFile } from '../support/violation.ts'

/** Returns a function that lists the tests that import a file: nearer imports first, then nearer folders. */
export function nearTests(files: readonly SourceFile[]): (path: string) => string[] {
  const importers = new Map<string, string[]>()
  for (const { path, text } of files) {
    for (const { kind, target } of importsOf(path, text)) {
      if (target === undefined || kind === 'type') continue
      importers.set(target, [...(importers.get(target) ?? []), path])
    }
  }
  return (path) => {
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
}

function sharedFolders(one: string, other: string): number {
  const [a, b] = [posix.dirname(one).split('/'), posix.dirname(other).split('/')]
  const different = a.findIndex((folder, index) => folder !== b[index])
  return different === -1 ? a.length : different
}
