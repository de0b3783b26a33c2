import type { Command } from 'commander'
import { Argument } from 'commander'
import { readProfiles } from '../profiles/profiles.ts'
import { connect } from '../remote/connect.ts'

const MAX_REQUESTS = 30

/** The timeout of a completion in milliseconds. The user cannot type during a completion. */
const TIMEOUT_MS = 2_000

/** Adds a hidden command that lists values for completion scripts, such as the names of profiles. */
export function register(program: Command): void {
  program
    .command('complete-values', { hidden: true })
    .addArgument(new Argument('<kind>').choices(['requests', 'profiles']))
    .action(async (kind: 'requests' | 'profiles') => {
      const values = await (kind === 'profiles' ? profiles() : requests()).catch(() => [])
      process.stdout.write(values.map((value) => `${value}\n`).join(''))
    })
}

/** Returns the names of profiles, without names that a shell would split or expand. */
const profiles = async () => Object.keys(await readProfiles()).filter((name) => /^[\w.@-]+$/.test(name))

async function requests(): Promise<string[]> {
  const { service } = await connect({})
  const page = await service.requests.list({ limit: MAX_REQUESTS }, { maxRetries: 0, timeoutMs: TIMEOUT_MS })
  return page.data.map(({ id }) => String(id))
}
