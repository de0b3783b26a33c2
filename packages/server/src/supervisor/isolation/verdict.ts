import { openCodeCache, openFilledCodeCache } from '../code-cache.ts'
import { hostFingerprint } from './host-fingerprint.ts'
import type { Isolation, IsolationOptions, Reach } from './isolation.ts'
import { chooseIsolation } from './isolation.ts'
import type { PrivateFolder } from './private-folder.ts'
import { candidates } from './tiers.ts'

type WallOptions = Omit<IsolationOptions, 'codeCache' | 'walls'>

/** What canaries found out on this host, as it is kept between two commands. */
type Verdict = { host: string; tier: string; description: string; reach: Reach }

const NAME = 'walls.json'

/** Fills the cache of compiled code, and finds the strongest walls that hold. */
export async function tryAllWalls(options: WallOptions): Promise<Isolation> {
  return await chooseIsolation({ ...options, codeCache: await openCodeCache(options.entries) })
}

/**
 * The walls that a canary has tried on this boot, by this version. Else as `tryAllWalls`.
 *
 * For commands, which start often; a service tries its walls at every start. It is safe since a verdict only chooses
 * among the ways to start engines: a sandbox that the host has ceased to allow does not let its engine start at all,
 * and `forget` then has the walls tried anew. It is read from a folder of this user's alone.
 */
export async function recallWalls(options: WallOptions, notes: PrivateFolder | undefined): Promise<Isolation> {
  const host = await hostFingerprint(options)
  const known = parseVerdict(await notes?.read(NAME))
  // wall: a verdict about another host, boot or version
  if (known?.host === host) {
    const found = candidates(openFilledCodeCache()).find(
      ({ tier, description }) => tier === known.tier && description === known.description,
    )
    if (found !== undefined) return { ...found, reach: known.reach }
  }
  const { tier, description, reach, ...rest } = await tryAllWalls(options)
  await notes?.write(NAME, JSON.stringify({ host, tier, description, reach } satisfies Verdict))
  return { tier, description, reach, ...rest }
}

/** Has the next command try the walls again. */
export async function forgetWalls(notes: PrivateFolder | undefined): Promise<void> {
  await notes?.write(NAME, '{}')
}

function parseVerdict(text: string | undefined): Verdict | undefined {
  try {
    const read = JSON.parse(text ?? '{}') as Partial<Verdict>
    return read.host !== undefined && read.reach !== undefined ? (read as Verdict) : undefined
  } catch {
    return undefined
  }
}
