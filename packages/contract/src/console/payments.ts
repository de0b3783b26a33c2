import { z } from 'zod'
import { defineConsoleRoute, FOR_OWNERS } from './console-route.ts'

export const PURCHASE_DOLLARS = { min: 1, max: 10_000 } as const

export const openCheckout = defineConsoleRoute({
  method: 'post',
  path: '/console/api/checkout',
  ...FOR_OWNERS,
  body: { schema: z.strictObject({ amount: z.string().max(20) }), example: { amount: '25.00' } },
  responses: { 201: { schema: z.strictObject({ url: z.string() }) } },
})

export const STRIPE_WEBHOOK = '/console/api/stripe/webhook'
