import { quoteValue } from '../lib/format-text.ts'

type JsonObject = { [name: string]: unknown }

/**
 * Checks that an MCP call sends data only to the hosts in `allowed`, because a malicious text may make an agent send
 * data elsewhere. `rest` is the input without `webhook_url` and destinations.
 */
export function checkTargets(
  input: JsonObject,
  allowed: readonly string[],
  setting: string,
): { rest: JsonObject; errors: string[] } {
  const { webhook_url: webhook, ...rest } = input
  const targets: [string, unknown][] = Object.hasOwn(input, 'webhook_url') ? [['webhook_url', webhook]] : []
  const withoutTarget = (output: unknown, name: string): unknown => {
    if (typeof output !== 'object' || output === null || !('destination' in output)) return output
    const { destination, ...others } = output
    const url = typeof destination === 'object' && destination !== null && 'url' in destination ? destination.url : null
    targets.push([`${name}.destination`, url])
    return others
  }
  const { output, outputs } = rest
  if (output !== undefined && !Array.isArray(output)) rest['output'] = withoutTarget(output, 'output')
  if (Array.isArray(outputs)) rest['outputs'] = outputs.map((one, index) => withoutTarget(one, `outputs[${index}]`))
  const errors = targets
    .filter(([, url]) => !isAllowed(url, allowed))
    .map(
      ([name, url]) =>
        `${name} must have a host that the setting ${setting} allows (got ${quoteValue(url)}). ${
          allowed.length === 0 ? 'The setting allows no hosts' : `Allowed hosts: ${allowed.join(', ')}`
        }.`,
    )
  return { rest, errors }
}

function isAllowed(url: unknown, allowed: readonly string[]): boolean {
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  return parsed !== null && (allowed.includes(parsed.hostname) || allowed.includes(parsed.host))
}
