import { describeTime, print, quiet, strong } from '@mediamill/cli/src/terminal/output'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import type { LinkTarget } from '../../accounts/sign-in/links.ts'
import { makeSignInLink } from '../../accounts/sign-in/links.ts'
import type { Sql } from '../../db/connection/connect.ts'
import { commandAuthor, idArgument, JSON_FLAG, oneAccount, withDatabase } from './administer.ts'

type Options = { operator?: true; name?: string; json?: true }

export function register(program: Command): void {
  program
    .command('console')
    .description('Create a sign-in link for the console. It works once and expires after 15 minutes.')
    .argument('[account]', "the account's id; optional if there is only one account", idArgument)
    .option('--operator', 'create an operator link: all accounts, billing, queue, and health')
    .option('--name <name>', 'with --operator: the name of the person, for sessions and the audit log', nameArgument)
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      '\nExamples:\n  mediamill console 1001              an account, with its keys and its requests\n  mediamill console --operator --name Ada   the whole service',
    )
    .action(async (accountId: number | undefined, options: Options) => {
      const link = await withDatabase(async (sql, { baseUrl, console }) => {
        if (console === 'off')
          throw new OperatorError('The console is off. Set CONSOLE=on for every API server, and restart the servers.')
        const target = await targetOf(sql, accountId, options)
        return await makeSignInLink(sql, baseUrl, commandAuthor(), target)
      })
      print(options.json, { url: link.url, expires_at: link.expiresAt.toISOString() }, () =>
        [strong(link.url), quiet(`It works once, until ${describeTime(link.expiresAt)}.`)].join('\n'),
      )
    })
}

async function targetOf(sql: Sql, named: number | undefined, { operator, name }: Options): Promise<LinkTarget> {
  if (operator === true) {
    const accountId = named === undefined ? undefined : await oneAccount(sql, named)
    return { kind: 'operator', ...(accountId !== undefined && { accountId }), ...(name !== undefined && { name }) }
  }
  if (name !== undefined) throw new OperatorError('--name can only be used with --operator.')
  return { kind: 'account', accountId: await oneAccount(sql, named) }
}

function nameArgument(text: string): string {
  if (/^[^\p{Cc}\p{Cf}]{1,100}$/u.test(text)) return text
  throw new InvalidArgumentError('It must have 1 to 100 characters, and no control characters.')
}
