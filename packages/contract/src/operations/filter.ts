import { z } from 'zod'
import { LOOK_NAMES } from '../drawing/looks.ts'
import { integer } from '../objects/fields.ts'
import { defineOperation } from './operation.ts'

export const filter = defineOperation({
  name: 'filter',
  description: 'Applies one of 18 photo filters.',
  params: z.strictObject({
    name: z.enum(LOOK_NAMES).meta({ description: 'Name of the filter.' }),
    strength: integer(0, 100, 'Strength of the filter in percent; 0 changes nothing.').default(100),
  }),
  image: (p) => (p.strength === 0 ? [] : [{ step: 'look', name: p.name, strength: p.strength / 100 }]),
})
