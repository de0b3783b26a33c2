import type { Keys } from '@mediamill/conformance/kit/kit'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { environmentVariable } from '@mediamill/sdk/src/environment'
import type { Command } from 'commander'
import { Option } from 'commander'
import { readSecret } from '../profiles/read-secret.ts'
import { checkUrl } from '../remote/connect.ts'
import { print, writeOut } from '../terminal/output.ts'

type Options = {
  baseUrl?: string
  key?: string
  testKey?: string
  otherKey?: string
  freeKey?: string
  poorKey?: string
  suspendedKey?: string
  revokedKey?: string
  smallKey?: string
  webhookSecret?: string
  listen?: string
  reachedAt?: string
  only?: string
  lanes: string
  short?: true
  unseen?: true
  json?: true
}

const KEYS: readonly (readonly [name: keyof Keys, description: string])[] = [
  ['test', 'a test key of the same account'],
  ['other', 'a key of another account'],
  ['free', 'a live key of an account that never bought credit'],
  ['poor', 'a live key of an account without credit'],
  ['suspended', 'a key of a suspended account'],
  ['revoked', 'a revoked key'],
  ['small', 'a live key with low limits for concurrent requests and for the source size'],
]

export function register(program: Command): void {
  const command = program
    .command('conformance')
    .description('Run the API conformance tests against a deployment.')
    .option('--base-url <url>', 'URL of the server, equal to its BASE_URL (default: MEDIAMILL_URL)')
    .option(
      '--key <key>',
      'API key, best a live key of a paid account; - reads it from stdin (default: MEDIAMILL_API_KEY)',
    )
  for (const [name, description] of KEYS) command.option(`--${name}-key <key>`, description)
  command
    .option('--webhook-secret <secret>', 'the webhook secret of the account, whsec_…')
    .option('--listen <host:port>', 'address for sources, destinations, and webhooks')
    .option('--reached-at <url>', 'URL at which the server reaches that address (default: http://HOST:PORT)')
    .option('--only <pattern>', 'run only checks with a matching name or title, such as ^requests.abort')
    .addOption(new Option('--lanes <number>', 'number of concurrent checks').default('4'))
    .option('--short', 'skip checks of more than a few seconds')
    .option('--unseen', 'list the rules without a check and the reasons, and exit')
    .option('--json', 'print a report as JSON')
    .addHelpText(
      'after',
      `
Uploads small files and makes 1,500 calls or more, for less than $0.50 of credit. With a test key, requests are free
but slow. Checks that the deployment does not allow are skipped, with the reason. Exits with 1 if a check fails.

Example:
  MEDIAMILL_API_KEY=svc_live_… mediamill conformance --base-url https://media.example.com
  pass show mediamill | mediamill conformance --base-url https://media.example.com --key -`,
    )
    .action(conformance)
}

async function conformance(options: Options): Promise<void> {
  const { UNCHECKED_RULES } = await import('@mediamill/conformance/unchecked-rules')
  if (options.unseen === true) {
    print(options.json, UNCHECKED_RULES, () =>
      UNCHECKED_RULES.map(({ rule, because }) => `${rule.padEnd(32)}${because}`).join('\n'),
    )
    return
  }
  const baseUrl = checkUrl(options.baseUrl ?? environmentVariable('MEDIAMILL_URL'))
  const key = await keyOf(options.key)
  const { conform } = await import('@mediamill/conformance/conform')
  const { describeConformance, describeOutcome, presentConformance } = await import('@mediamill/conformance/describe')
  const found = await conform({
    baseUrl,
    key,
    keys: keysOf(options),
    secret: options.webhookSecret,
    listenOn: options.listen,
    reachedAt: options.reachedAt,
    only: options.only === undefined ? undefined : new RegExp(options.only),
    isShort: options.short === true,
    lanes: Math.max(1, Number(options.lanes) || 1),
    onOutcome: (outcome) => void (options.json === true || writeOut(`${describeOutcome(outcome)}\n`)),
  })
  if (found.outcomes.length === 0) throw new OperatorError(`No check matches --only ${options.only}.`)
  print(options.json, presentConformance(baseUrl, found), () => describeConformance(found))
  const broken = found.outcomes.filter(({ outcome }) => outcome === 'broken').map(({ number }) => number)
  if (broken.length > 0) throw new OperatorError(`${baseUrl} fails the checks ${broken.join(', ')}.`)
}

async function keyOf(option: string | undefined): Promise<string> {
  if (option === '-') return await readSecret('Key: ')
  if (option !== undefined) {
    process.stderr.write(
      'Other users of this machine can see the key of --key. Set MEDIAMILL_API_KEY or use --key -.\n',
    )
    return option
  }
  const key = environmentVariable('MEDIAMILL_API_KEY')
  if (key === undefined) throw new OperatorError('A key is required: set MEDIAMILL_API_KEY, or use --key - for stdin.')
  return key
}

function keysOf(options: Options): Keys {
  const given = KEYS.map(([name]): [string, string | undefined] => [name, options[`${name}Key`]])
  return Object.fromEntries(given.filter(([, key]) => key !== undefined))
}
