import { OperatorError } from '@mediamill/contract/domain/errors'
import type { Command } from 'commander'
import { DEFAULT_PROFILE, keepProfile } from '../profiles/profiles.ts'
import { readSecret } from '../profiles/read-secret.ts'
import { checkUrl } from '../remote/connect.ts'
import { print } from '../terminal/output.ts'
import { describeAccount } from './account.ts'

export function register(program: Command): void {
  program
    .command('login')
    .description('Keep the address of a service and your key to it, in a file that only you can read.')
    .argument('<url>', 'the service, such as https://media.example.com')
    .option('--profile <name>', 'what to keep it as', DEFAULT_PROFILE)
    .option('--json', 'print JSON, for programs')
    .addHelpText(
      'after',
      '\nThe key is asked for, or read from what is piped in; it is never an argument, which others on the machine could see.\n\nExamples:\n  mediamill login https://media.example.com\n  pass show mediamill | mediamill login https://media.example.com --profile work',
    )
    .action(async (text: string, { profile, json }: { profile: string; json?: true }) => {
      const url = checkUrl(text)
      const apiKey = await readSecret(`Key for ${url}: `)
      if (!/^svc_(?:live|test)_\S+$/.test(apiKey)) {
        throw new OperatorError('That is no key: keys begin with svc_live_ or svc_test_.')
      }
      const { Mediamill } = await import('@mediamill/sdk/src/mediamill')
      const account = await new Mediamill({ baseUrl: url, apiKey, maxRetries: 1 }).account.retrieve()
      const path = await keepProfile(profile, { url, api_key: apiKey })
      process.stderr.write(`The key works, and is kept as the profile ${profile} in ${path}.\n`)
      print(json === true, { profile, url, account }, () => describeAccount(account, url))
    })
}
