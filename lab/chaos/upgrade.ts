import { setTimeout as delay } from 'node:timers/promises'
import { checkAnswer } from '../support/contract.ts'
import type { Checked } from './caller.ts'
import type { Fleet } from './fleet.ts'
import { MAIN } from './fleet.ts'
import type { Intent } from './intents.ts'
import type { OldRelease } from './release.ts'
import type { Blow } from './wrecker.ts'

export type UpgradeOptions = {
  fleet: Fleet
  apis: number
  workers: number
  release: OldRelease
  say: (line: string) => void
}

const PAUSE_MS = 300

/** Upgrades one process after the other, takes all of it back, and upgrades again; each exits in good order. */
export async function upgradeAndBack({ fleet, apis, workers, release, say }: UpgradeOptions): Promise<Blow[]> {
  const blows: Blow[] = []
  for (const [version, main] of [
    ['the new version', MAIN],
    [`${release.name} again`, release.main],
    ['the new version for good', MAIN],
  ] as const) {
    // An API server first: it migrates, then accepts operations that no worker supports yet.
    for (const [role, count] of [
      ['api', apis],
      ['worker', workers],
    ] as const)
      for (let index = 0; index < count; index += 1) {
        const at = Date.now()
        const code = await fleet.roll(role, index, main)
        if (code !== 0) fleet.unasked.push(`${role} ${index} exited with ${code} when it was told to stop`)
        blows.push({ at, what: role, how: `${role} ${index} is ${version}` })
        await delay(PAUSE_MS)
      }
    say(`every process is ${version}`)
  }
  return blows
}

/** Checks a response against the contract of either version, because both versions serve calls. */
export function checkOfEither(release: OldRelease): Checked {
  return (method, path, answer) => {
    const faults = [checkAnswer, release.checkAnswer].map((check) => {
      try {
        check(method, path, answer)
        return undefined
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    })
    return faults.includes(undefined) ? undefined : faults.join('; ')
  }
}

/** Every 8th intent uses the operation that the older version lacks. */
const NEWER_EVERY = 8

/** API servers of the older version reject the newer operation, and its workers leave such requests to newer workers. */
export const withNewer = (intents: readonly Intent[]): Intent[] =>
  intents.map((intent) => {
    if (intent.number % NEWER_EVERY !== 3) return intent
    return { ...intent, endpoint: 'process', isNewer: true, isDoubled: false, uploadEnds: 'kept' }
  })
