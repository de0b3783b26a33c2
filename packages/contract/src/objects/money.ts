import { z } from 'zod'

export const money = z
  .strictObject({
    amount: z.string().meta({ description: 'Dollars with six decimals.', examples: ['0.002000'] }),
    currency: z.literal('usd').meta({ description: 'Always `usd`.' }),
    micro_usd: z.int().meta({ description: 'Millionths of a dollar.', examples: [2000] }),
  })
  .meta({ id: 'Money', description: 'An amount of money.' })
