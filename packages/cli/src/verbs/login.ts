import { OperatorError } from '@mediamill/contract/domain/errors'
import type { Command } from 'commander'
import { DEFAULT_PROFILE, keepProfile } from '../profiles/profiles.ts'
import { readSecret } from '../profiles/read-secret.ts'
import { checkUrl, retrieveAccount } from '../remote/connect.ts'
import { print } from '../terminal/output.ts'
import { describeAccount } from './account.ts'

export function register(program: Command): void {
  program
    .command('login')
    .description("Save a server's URL and your API key in a file that only you can read.")
    .argument('<url>', 'URL of the server, such as https://media.example.com')
    .option('--profile <name>', 'name of the profile', DEFAULT_PROFILE)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nEnter the key at the prompt, or pipe it to stdin. There is no option for the key: other users can read command-line\narguments.\n\nExamples:\n  mediamill login https://media.example.com\n  pass show mediamill | mediamill login https://media.example.com --profile work',
    )
    .action(async (text: string, { profile, json }: { profile: string; json?: true }) => {
      const url = checkUrl(text)
      const apiKey = await readSecret(`Key for ${url}: `)
      if (!/^svc_(?:live|test)_\S+$/.test(apiKey)) {
        throw new OperatorError('The key is invalid: keys begin with svc_live_ or svc_test_.')
      }
      const { Mediamill } = await import('@mediamill/sdk/src/mediamill')
      const account = await retrieveAccount(new Mediamill({ baseUrl: url, apiKey, maxRetries: 1 }))
      const path = await keepProfile(profile, { url, api_key: apiKey })
      process.stderr.write(`The key is valid. Saved as profile ${profile} in ${path}.\n`)
      print(json, { profile, url, account }, () => describeAccount(account, url))
    })
}
