import type { Command } from 'commander'
import { Argument } from 'commander'
import { readProfiles } from '../profiles/profiles.ts'
import { connect } from '../remote/connect.ts'

const MAX_REQUESTS = 30

/** The timeout of a call. It is short, because the shell does not react to keys during a completion. */
const TIMEOUT_MS = 2_000

export function register(program: Command): void {
  program
    .command('complete-values', { hidden: true })
    .addArgument(new Argument('<kind>').choices(['requests', 'profiles']))
    .action(async (kind: 'requests' | 'profiles') => {
      const values = await (kind === 'profiles' ? profiles() : requests()).catch(() => [])
      // Shells expand these words, so a profile name or an id from a hostile service could run `$(…)`.
      const safe = values.filter((value) => /^[\w.@-]+$/.test(value))
      process.stdout.write(safe.map((value) => `${value}\n`).join(''))
    })
}

const profiles = async () => Object.keys(await readProfiles())

async function requests(): Promise<string[]> {
  const { service } = await connect({})
  const page = await service.requests.list({ limit: MAX_REQUESTS }, { maxRetries: 0, timeoutMs: TIMEOUT_MS })
  return page.data.map(({ id }) => String(id))
}
