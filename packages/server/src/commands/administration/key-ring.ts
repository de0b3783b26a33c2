import { bad, describeTable, describeTime, good, print } from '@mediamill/cli/src/terminal/output'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { formatCount } from '@mediamill/contract/lib/format-text'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { fingerprintsOf } from '../../accounts/fingerprints.ts'
import { addKey, checkKeys } from '../../accounts/key-ring.ts'
import type { KeyRingStatus, KeyStatus } from '../../accounts/key-ring-status.ts'
import { readKeyRing } from '../../accounts/key-ring-status.ts'
import { countText, retireSecretKey } from '../../accounts/retire-secret-key.ts'
import { reseal } from '../../accounts/sealed-values.ts'
import { listSecretKeys } from '../../db/secret-keys.ts'
import type { Json } from './administer.ts'
import { commandAuthor, JSON_FLAG, withDatabase } from './administer.ts'

export function register(program: Command): void {
  const keyRing = program.command('key-ring').description('Rotate SECRET_KEY.')
  registerStatus(keyRing)
  registerAdd(keyRing)
  registerReseal(keyRing)
  registerRetire(keyRing)
}

function registerStatus(keyRing: Command): void {
  keyRing
    .command('status')
    .description('List the keys by their fingerprints, and count the values that each key encrypts.')
    .option(...JSON_FLAG)
    .addHelpText('after', '\nExample:\n  mediamill key-ring status')
    .action(async (options: Json) => {
      const status = await withDatabase((sql, { secretKey }) => readKeyRing(sql, secretKey))
      const { webhookSecrets, destinations } = status.unreadable
      const unreadable = { webhook_secrets: webhookSecrets, destinations }
      print(options.json, { keys: status.keys.map(presentKey), unreadable }, () => describeStatus(status))
    })
}

function registerAdd(keyRing: Command): void {
  keyRing
    .command('add')
    .description('Require a key of SECRET_KEY at every start, before processes use it.')
    .argument(
      '[fingerprint]',
      'the fingerprint of the key; the first key of SECRET_KEY by default',
      fingerprintArgument,
    )
    .option('--force', 'accept a SECRET_KEY that decrypts nothing: for a database whose key was lost')
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
Running processes continue. A process that starts without the key ends with one line that names it. Which key signs and
encrypts depends only on the order in SECRET_KEY.

Example:
  mediamill key-ring add 68a0da0d`,
    )
    .action(async (given: string | undefined, options: { force?: true } & Json) => {
      const fingerprint = await withDatabase(async (sql, { secretKey }) => {
        const chosen = given ?? fingerprintsOf(secretKey)[0]
        await addKey(sql, chosen, { secretKey, isForced: options.force === true, author: commandAuthor() })
        return chosen
      })
      print(options.json, { fingerprint, added: true }, () =>
        good(`The key ${fingerprint} is in the key ring. A process without this key does not start.`),
      )
    })
}

function registerReseal(keyRing: Command): void {
  keyRing
    .command('reseal')
    .description('Encrypt webhook secrets and destinations of older keys with the first key.')
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
Run this command when every process has the new key as its first key. The service can run meanwhile. If the command is
interrupted, run it again. It exits with 1 if a value cannot be decrypted.

Example:
  mediamill key-ring reseal`,
    )
    .action(async (options: Json) => {
      const { unreadable, ...resealed } = await withDatabase(async (sql, { secretKey }) => {
        const own = fingerprintsOf(secretKey)
        const ring = await listSecretKeys(sql)
        checkKeys(ring, own)
        if (ring.every(({ fingerprint }) => fingerprint !== own[0])) {
          throw new OperatorError(
            `No process uses ${own[0]} as its first key yet. Restart every process with this SECRET_KEY, then run reseal again.`,
          )
        }
        return await reseal(sql, secretKey)
      })
      const { webhookSecrets, destinations } = resealed
      print(options.json, { webhook_secrets: webhookSecrets, destinations, unreadable }, () =>
        [
          good(`Encrypted ${countText(resealed)} with the first key.`),
          ...(unreadable === 0
            ? []
            : [bad(`${formatCount(unreadable, 'value')} could not be decrypted with any key of SECRET_KEY.`)]),
        ].join('\n'),
      )
      if (unreadable > 0) process.exitCode = 1
    })
}

function registerRetire(keyRing: Command): void {
  keyRing
    .command('retire')
    .description('Retire an old key, so that processes start without it.')
    .argument('<fingerprint>', 'the fingerprint of the key, from key-ring status', fingerprintArgument)
    .option('--force', 'retire it although values or links need it: for a key that was lost')
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
It needs the RETENTION of the service. It fails while a value is encrypted with the key, and while links that the key
signed may be valid.

Example:
  mediamill key-ring retire 68a0da0d`,
    )
    .action(async (fingerprint: string, options: { force?: true } & Json) => {
      await withDatabase((sql, { secretKey, retentionMs }) =>
        retireSecretKey(sql, fingerprint, {
          secretKey,
          retentionMs,
          isForced: options.force === true,
          author: commandAuthor(),
        }),
      )
      print(options.json, { fingerprint, retired: true }, () =>
        good(`The key ${fingerprint} is retired. You can remove it from SECRET_KEY.`),
      )
    })
}

function fingerprintArgument(text: string): string {
  if (!/^[0-9a-f]{8}$/.test(text)) throw new InvalidArgumentError('It must be eight hexadecimal digits.')
  return text
}

const presentKey = ({ fingerprint, position, firstUsedAt, lastUsedAt, retiredAt, sealed }: KeyStatus) => ({
  fingerprint,
  position: position === undefined ? null : position + 1,
  first_used_at: firstUsedAt?.toISOString() ?? null,
  last_used_at: lastUsedAt?.toISOString() ?? null,
  retired_at: retiredAt?.toISOString() ?? null,
  webhook_secrets: sealed?.webhookSecrets ?? null,
  destinations: sealed?.destinations ?? null,
})

function describeStatus({ keys, unreadable }: KeyRingStatus): string {
  const time = (at: Date | undefined) => (at === undefined ? '' : describeTime(at))
  const table = describeTable(
    ['KEY', 'IN SECRET_KEY', 'FIRST USED', 'LAST USED', 'RETIRED', 'WEBHOOK SECRETS', 'DESTINATIONS'],
    keys.map(({ fingerprint, position, firstUsedAt, lastUsedAt, retiredAt, sealed }) => [
      fingerprint,
      position === undefined ? 'no' : `position ${position + 1}`,
      time(firstUsedAt),
      time(lastUsedAt),
      time(retiredAt),
      sealed === undefined ? 'unknown' : String(sealed.webhookSecrets),
      sealed === undefined ? 'unknown' : String(sealed.destinations),
    ]),
  )
  if (unreadable.webhookSecrets + unreadable.destinations === 0) return table
  return `${table}\n${bad(`No key of SECRET_KEY decrypts ${countText(unreadable)}.`)}`
}
