import { account } from '../objects/account.ts'
import { defineRoute } from '../route.ts'

export const getAccount = defineRoute({
  operationId: 'getAccount',
  method: 'get',
  path: '/v1/account',
  tag: 'Account',
  summary: 'Get the account',
  description: 'Returns the account of the key, its balance, and the limits of the key.',
  key: true,
  responses: {
    200: {
      description: 'The account of the key.',
      schema: account,
      example: {
        object: 'account',
        id: 1001,
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        tier: 'paid',
        balance: { amount: '24.998000', currency: 'usd', micro_usd: 24_998_000 },
        held: { amount: '0.020000', currency: 'usd', micro_usd: 20_000 },
        available: { amount: '24.978000', currency: 'usd', micro_usd: 24_978_000 },
        webhook_url: 'https://example.com/hooks/media',
        livemode: true,
        limits: { requests_per_minute: 120, concurrent_requests: 10, max_source_bytes: 2_147_483_648 },
        suspended: false,
        created_at: '2026-11-01T08:00:00.000Z',
      },
    },
  },
  rejections: [],
})
