import { randomUUID } from 'node:crypto'
import { checksOf } from '../kit/check.ts'
import { equal, ok } from '../kit/expect.ts'
import type { Json } from '../kit/json.ts'

export const ACCOUNT = checksOf([
  {
    title: 'usage counts requests by group, in ascending order, and omits empty groups',
    rules: ['usage.rows.1', 'usage.rows.2', 'usage.rows.3', 'usage.range.1'],
    run: async (kit) => {
      const customer = `usage-${randomUUID()}`
      const source = await kit.image()
      const made = await kit.succeed('images/process', { source, customer, operations: [{ type: 'flip' }] })
      await kit.finish('documents/read', { source, customer })
      const usage = async (query: string) => (await kit.call('GET', `/v1/usage?${query}&customer=${customer}`)).body
      const byEndpoint = await usage('group_by=endpoint')
      equal([byEndpoint.object, byEndpoint.group_by], ['usage', 'endpoint'], 'object and group_by')
      equal(
        byEndpoint.data.map(({ endpoint }: Json) => endpoint),
        ['documents/read', 'images/process'],
        'the groups, ascending',
      )
      const [documents, images] = byEndpoint.data
      equal(
        [documents.requests, documents.succeeded, documents.failed, documents.spent],
        [1, 0, 1, '0.000000'],
        'a failed request',
      )
      equal(
        [images.requests, images.succeeded, images.spent_micro_usd],
        [1, 1, made.price.micro_usd],
        'a request that succeeded',
      )
      equal(images.result_bytes, made.result.files[0].size, 'result_bytes')
      ok(images.source_bytes > 0, 'source_bytes', images)
      const today = new Date().toISOString().slice(0, 10)
      const byDay = await usage(`from=${made.created_at.slice(0, 10)}&to=${today}`)
      equal(
        [byDay.group_by, byDay.to, byDay.data.at(-1).requests > 0],
        ['day', today, true],
        'a range of this day alone',
      )
      const byDefault = await usage('')
      equal(
        Math.round((Date.parse(byDefault.to) - Date.parse(byDefault.from)) / 86_400_000),
        29,
        'days of the default range',
      )
      equal(
        (await usage('group_by=status')).data.map(({ status }: Json) => status),
        ['failed', 'succeeded'],
        'by status',
      )
      equal(
        (await usage('group_by=customer')).data.map((row: Json) => row.customer),
        [customer],
        'by customer',
      )
      const days = (from: string, to: string) => kit.call('GET', `/v1/usage?from=${from}&to=${to}`)
      equal((await days('2026-01-01', '2026-04-02')).status, 200, '92 days')
      await kit.rejects(days('2026-01-01', '2026-04-03'), 422, 'validation_failed', 'from')
      await kit.rejects(days('2026-02-02', '2026-02-01'), 422, 'validation_failed', 'from')
      await kit.rejects(kit.call('GET', '/v1/usage?group_by=hour'), 422, 'validation_failed', 'group_by')
    },
  },
  {
    title: 'usage counts only requests of the mode (live or test) of the key',
    needs: ['live', 'test'],
    rules: ['usage.range.2'],
    run: async (kit) => {
      const customer = `mode-${randomUUID()}`
      await kit.succeed('images/read', { source: await kit.image(), customer })
      const { body } = await kit.call('GET', `/v1/usage?customer=${customer}`, { key: kit.key('test') })
      equal(body.data, [], 'usage of the other mode')
    },
  },
  {
    title:
      'a request that succeeds is charged to the balance; a failed request, an aborted request, and a rejected call are not',
    needs: ['live'],
    alone: true,
    rules: ['billing.charges.1', 'requests.object.5', 'errors.calls.1'],
    run: async (kit) => {
      const money = async () => {
        const { body } = await kit.call('GET', '/v1/account')
        return [body.balance.micro_usd, body.held.micro_usd]
      }
      const [balance = 0, held] = await money()
      const source = await kit.image()
      await kit.succeed('images/read', { source })
      equal(await money(), [balance - 500, held], 'balance and reserved credit after a read')
      await kit.finish('documents/read', { source })
      const { id } = await kit.open()
      await kit.abort(id)
      await kit.rejects(
        kit.call('POST', '/v1/images/read', { body: { source: 'http://localhost/' } }),
        422,
        'url_blocked',
      )
      equal(
        await money(),
        [balance - 500, held],
        'balance and reserved credit after a failure, an abort, and a rejected call',
      )
    },
  },
  {
    title: 'a call returns 402 if the credit is less than the price of one unit, such as an image or a page',
    needs: ['poor'],
    rules: ['billing.holds.1'],
    run: async (kit) => {
      const body = { source: 'https://example.com/a.jpg' }
      await kit.rejects(
        kit.call('POST', '/v1/images/read', { key: kit.key('poor'), body }),
        402,
        'insufficient_credits',
      )
    },
  },
])
