import { importsOf } from './import-graph.ts'
import type { SourceFile } from './violation.ts'

/** Returns the circles of files that import each other. With `all`, imports of types can also form a circle. */
export function circlesOf(files: readonly SourceFile[], kinds: 'values' | 'all' = 'all'): string[][] {
  const targets = new Map(files.map((file) => [file.path, targetsOf(file, kinds)]))
  const reached = new Map([...targets.keys()].map((path) => [path, reachedFrom(path, targets)]))
  const circles = [...targets.keys()].flatMap((path) => {
    const circle = [...(reached.get(path) ?? [])].filter((other) => reached.get(other)?.has(path) === true)
    return circle.length === 0 ? [] : [circle.toSorted()]
  })
  return [...new Map(circles.map((circle) => [circle.join(), circle])).values()]
}

/** Returns the files that a file imports. Omits files that it only starts by path, as their own processes. */
function targetsOf({ path, text }: SourceFile, kinds: 'values' | 'all'): string[] {
  return importsOf(path, text)
    .filter(({ kind }) => kind !== 'path' && (kinds === 'all' || kind !== 'type'))
    .flatMap(({ target }) => target ?? [])
}

function reachedFrom(path: string, targets: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set<string>()
  const waiting = [...(targets.get(path) ?? [])]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue
    found.add(next)
    waiting.push(...(targets.get(next) ?? []))
  }
  return found
}
