import { z } from 'zod'
import { LOOK_NAMES } from '../drawing/looks.ts'
import { defineOperation, integer } from './operation.ts'

export const filter = defineOperation({
  name: 'filter',
  description: 'Gives the picture one of 18 looks.',
  params: z.strictObject({
    name: z.enum(LOOK_NAMES).meta({ description: 'Name of the look.' }),
    strength: integer(0, 100, 'How much of the look, in percent; 0 leaves the picture as it is.').default(100),
  }),
  image: (p) => (p.strength === 0 ? [] : [{ step: 'look', name: p.name, strength: p.strength / 100 }]),
})
