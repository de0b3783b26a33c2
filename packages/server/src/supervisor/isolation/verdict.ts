import { hostFingerprint } from './host-fingerprint.ts'
import type { Isolation, IsolationOptions, Reach } from './isolation.ts'
import { chooseIsolation } from './isolation.ts'
import type { PrivateFolder } from './private-folder.ts'
import { candidates } from './sandbox-levels.ts'

type SandboxOptions = Omit<IsolationOptions, 'candidates'>

type Verdict = { host: string; tier: string; description: string; reach: Reach }

const NAME = 'sandbox.json'

/**
 * Returns the sandbox that an earlier command chose on this host, or chooses one. If the earlier choice no longer
 * works, no engine starts. After `forgetSandbox`, the next command tests again.
 */
export async function recallSandbox(options: SandboxOptions, notes: PrivateFolder | undefined): Promise<Isolation> {
  const host = await hostFingerprint(options)
  const known = parseVerdict(await notes?.read(NAME))
  // security check: a verdict about another host, boot or version
  if (known?.host === host) {
    const found = candidates().find(({ tier, description }) => tier === known.tier && description === known.description)
    if (found !== undefined) return { ...found, reach: known.reach }
  }
  const chosen = await chooseIsolation(options)
  const { tier, description, reach } = chosen
  await notes?.write(NAME, JSON.stringify({ host, tier, description, reach } satisfies Verdict))
  return chosen
}

export async function forgetSandbox(notes: PrivateFolder | undefined): Promise<void> {
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
