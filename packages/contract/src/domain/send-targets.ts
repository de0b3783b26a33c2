import { shown } from '../lib/words.ts'

type JsonObject = { [name: string]: unknown }

/**
 * Checks where a tool's arguments send data: `webhook_url` and `output.destination`. An agent that follows a hostile text
 * could send a file to a stranger, so only hosts of `allowed` are accepted. Returns the arguments without these fields, and
 * what is wrong with them.
 */
export function checkTargets(
  input: JsonObject,
  allowed: readonly string[],
  setting: string,
): { rest: JsonObject; faults: string[] } {
  const { webhook_url: webhook, ...rest } = input
  const targets: [string, unknown][] = Object.hasOwn(input, 'webhook_url') ? [['webhook_url', webhook]] : []
  const { output } = rest
  if (typeof output === 'object' && output !== null && !Array.isArray(output) && 'destination' in output) {
    const { destination, ...others } = output as { destination: unknown }
    const url = typeof destination === 'object' && destination !== null && 'url' in destination ? destination.url : null
    targets.push(['output.destination', url])
    rest['output'] = others
  }
  // wall: a file that an agent sends to a stranger
  const faults = targets
    .filter(([, url]) => !isAllowed(url, allowed))
    .map(
      ([name, url]) =>
        `${name} may only name a host that the setting ${setting} lists (got ${shown(url)}). ${
          allowed.length === 0 ? 'It lists none' : `It lists ${allowed.join(', ')}`
        }.`,
    )
  return { rest, faults }
}

function isAllowed(url: unknown, allowed: readonly string[]): boolean {
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  return parsed !== null && (allowed.includes(parsed.hostname) || allowed.includes(parsed.host))
}
