import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServiceConfig } from '../app/installation.ts'
import type { FirstAccount } from './serve/service.ts'

export async function writeFirstAccount(account: FirstAccount, { dataDir, baseUrl }: ServiceConfig): Promise<string> {
  const path = join(dataDir, 'first-account.json')
  const shown = {
    base_url: baseUrl,
    account: account.id,
    live_key: account.liveKey,
    test_key: account.testKey,
    webhook_secret: account.webhookSecret,
    ...(account.consoleUrl !== undefined && { console_url: account.consoleUrl }),
  }
  await writeFile(path, `${JSON.stringify(shown, null, 2)}\n`, { mode: 0o600, flush: true })
  return path
}
