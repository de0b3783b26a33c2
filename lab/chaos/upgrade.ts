import { checkResponse } from '../support/contract.ts'
import type { Checked } from './caller.ts'
import type { Disruption } from './disrupt.ts'
import type { Fleet } from './fleet.ts'
import { MAIN } from './fleet.ts'
import type { OldRelease } from './release.ts'
import type { RequestPlan } from './request-plans.ts'
import { rollEach } from './roll.ts'

type UpgradeOptions = { fleet: Fleet; release: OldRelease; say: (line: string) => void }

export async function upgradeAndBack({ fleet, release, say }: UpgradeOptions): Promise<Disruption[]> {
  const disruptions: Disruption[] = []
  for (const [version, main] of [
    ['the new version', MAIN],
    [`${release.name} again`, release.main],
    ['the new version for good', MAIN],
  ] as const) {
    // Upgrade API servers first: they migrate the database, and then accept operations that no worker supports yet.
    disruptions.push(...(await rollEach(fleet, ['api', 'worker'], main)))
    say(`every process runs ${version}`)
  }
  return disruptions
}

/** Checks that a response matches the contract of either version, because both versions serve calls. */
export function checkOfEither(release: OldRelease): Checked {
  return (method, path, response) => {
    const faults = [checkResponse, release.checkResponse].map((check) => {
      try {
        check(method, path, response)
        return undefined
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    })
    return faults.includes(undefined) ? undefined : faults.join('; ')
  }
}

const NEWER_EVERY = 8

/** Makes some plans use the newer operation. Replaces uploads as forms, because the older version may reject forms. */
export const withNewer = (plans: readonly RequestPlan[]): RequestPlan[] =>
  plans.map((drawn) => {
    const plan: RequestPlan = { ...drawn, arrival: drawn.arrival === 'form' ? 'whole' : drawn.arrival }
    if (plan.number % NEWER_EVERY !== 3) return plan
    return { ...plan, endpoint: 'process', isNewer: true, isDoubled: false, uploadEnds: 'kept' }
  })
