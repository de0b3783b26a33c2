import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '@mediamill/contract/domain/ids'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, openAccount } from '@mediamill/lab/support/request-rows'
import { abort } from '../../requests/abort.ts'
import { accept } from '../../requests/accept.ts'
import { waitForEvents } from './events.ts'

const { sql } = await sharedDatabase()

type Asked = Parameters<typeof waitForEvents>

async function ask(accountId: number, requestId: number | undefined, onWait: () => Promise<unknown>) {
  const headers: Record<string, string> = {}
  const waiting = { wait: async () => (await onWait(), true) }
  const api = { sql, watch: waiting, eventWatch: waiting } as unknown as Asked[0]
  const longPolls: Asked[1] = { hold: async (_call, _seconds, wait) => await wait(new AbortController().signal) }
  const reply = { header: (name: string, value: string) => void (headers[name] = value) }
  const call = { caller: { account: { id: accountId } }, reply, seconds: 5 } as unknown as Asked[2]
  const asked = { after: undefined, requestId, limit: 10 } as Asked[3]
  return { page: await waitForEvents(api, longPolls, call, asked), headers }
}

test('a long poll for the events of an account or a request waits if its page is empty, and returns a full page at once [events.list.5]', async () => {
  for (const isOfOne of [false, true]) {
    const account = await openAccount(sql)
    const accountId = account.id as AccountId
    const { id } = await accept(sql, acceptable(accountId))
    let waits = 0
    const askNow = () =>
      ask(accountId, isOfOne ? id : undefined, async () => {
        waits += 1
        await abort(sql, accountId, id)
      })
    for (const _ of ['empty', 'with its event']) {
      const { page, headers } = await askNow()
      assert.deepEqual([page.events.length, waits], [1, 1])
      assert.deepEqual(headers, { 'preference-applied': 'wait=5' })
    }
  }
})
