import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Coverage } from './covered-ranges.ts'
import { coveredRanges, isCovered } from './covered-ranges.ts'

type Reached = { text: string; ranges: number[] }

/** The code that each test file executes. `own` is a hash of the test file. `reached` has ranges by source file. */
export type ReachMap = Record<string, { own?: string; ms: number; isGreen: boolean; reached: Record<string, Reached> }>

const TIMEOUT_MS = 240_000

export const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 12)

export async function readMap(path: string): Promise<ReachMap> {
  return await readFile(path, 'utf8').then(
    (text): ReachMap => JSON.parse(text),
    () => ({}),
  )
}

export async function writeMap(path: string, map: ReachMap): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, JSON.stringify(map))
}

export async function reachOf(
  root: string,
  test: string,
  isWanted: (path: string) => boolean,
): Promise<ReachMap[string]> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-reach-'))
  const startedAt = performance.now()
  const isGreen = await new Promise<boolean>((resolve) => {
    const env = { ...process.env, NODE_V8_COVERAGE: folder }
    const options = { cwd: root, env, timeout: TIMEOUT_MS, maxBuffer: 1e9 }
    execFile(process.execPath, ['--test', test], options, (error) => resolve(error === null))
  })
  const ms = Math.round(performance.now() - startedAt)
  const scripts = new Map<string, Coverage['result']>()
  for (const file of await readdir(folder)) {
    const { result }: Coverage = JSON.parse(await readFile(join(folder, file), 'utf8'))
    for (const script of result) {
      if (!script.url.startsWith('file://')) continue
      const path = relative(root, fileURLToPath(script.url))
      if (isWanted(path)) scripts.set(path, [...(scripts.get(path) ?? []), script])
    }
  }
  await rm(folder, { recursive: true, force: true })
  const reached: Record<string, Reached> = {}
  for (const [path, found] of scripts) {
    const text = await readFile(join(root, path), 'utf8')
    reached[path] = { text: hashOf(text), ranges: coveredRanges(found, text.length) }
  }
  return { own: hashOf(await readFile(join(root, test), 'utf8')), ms, isGreen, reached }
}

/**
 * Returns whether a test executes the code at `at`. If the test or the source has changed since the map was made,
 * returns whether the test executes any code of the source. Returns `undefined` if the test did not pass.
 */
export function reaches(
  map: ReachMap,
  { test, own }: { test: string; own: string },
  { path, text, at }: { path: string; text: string; at: number },
): boolean | undefined {
  const known = map[test]
  if (known === undefined || !known.isGreen) return undefined
  const reached = known.reached[path]
  if (reached === undefined) return false
  return known.own !== hashOf(own) || reached.text !== hashOf(text) || isCovered(reached.ranges, at)
}
