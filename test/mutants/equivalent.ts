/** Mutants that change nothing for anybody, each by its file, its line as it is and as it becomes, and why. */
export const EQUIVALENT: readonly { path: string; was: string; now: string; because: string }[] = [
  {
    path: 'src/operations/exposure.ts',
    was: 'const toEncoded = (light: number) => (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055)',
    now: 'const toEncoded = (light: number) => (light < 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055)',
    because: 'both branches of sRGB meet there, to less than a thousandth of the smallest step of a colour',
  },
  {
    path: 'src/operations/schema.ts',
    was: 'operationSchemas.set(media, schema)',
    now: '',
    because: 'a schema that is not kept is made anew, and the same',
  },
  {
    path: 'src/media/plan/video.ts',
    was: 'return { filters: steps.map((step, index) => ({ ...step, chroma: left[index] ?? chroma })), size, chroma }',
    now: 'return { filters: steps.map((step, index) => ({ ...step, chroma: left[index] })), size, chroma }',
    because: 'there is one for each step: the default is for the compiler, which knows no lengths',
  },
  {
    path: 'src/db/claim-requests.ts',
    was: 'order by r.turn, r.id limit 1',
    now: 'order by r.turn desc, r.id limit 1',
    because: 'it asks whether there is any: the order only names the index that is walked',
  },
  {
    path: 'src/operations/rotate.ts',
    was: 'const clockwise = (degrees: number) => ((degrees % 360) + 360) % 360',
    now: 'const clockwise = (degrees: number) => ((degrees % 720) + 360) % 360',
    because: 'degrees are -360 to 360, of which both remainders come to the same turn',
  },
  {
    path: 'src/operations/rotate.ts',
    was: 'const clockwise = (degrees: number) => ((degrees % 360) + 360) % 360',
    now: 'const clockwise = (degrees: number) => ((degrees % 360) + 720) % 360',
    because: 'two whole turns more are taken off again',
  },
  {
    path: 'src/operations/schema.ts',
    was: 'withType.set(operation.name, schema)',
    now: '',
    because: 'a schema that is not kept is made anew, and the same',
  },
  {
    path: 'src/operations/schema.ts',
    was: 'if (known !== undefined) return known',
    now: '',
    because: 'a schema that is made anew is the same',
  },
  {
    path: 'src/operations/schema.ts',
    was: 'if (first === undefined) throw new RangeError(`no operation works on ${media}`)',
    now: '',
    because: 'each medium has an operation: it is for the compiler, which knows no lengths',
  },
  {
    path: 'src/operations/exposure.ts',
    was: 'steepness > 0',
    now: 'steepness >= 0',
    because: 'a steepness of 0 has returned before',
  },
  {
    path: 'src/operations/exposure.ts',
    was: 'const toLight = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)',
    now: 'const toLight = (value: number) => (value < 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)',
    because: 'no colour of 8 bits lies there: 10 of 255 is below, 11 above',
  },
  {
    path: 'src/media/plan/instructions.ts',
    was: 'if (draw === undefined) throw new RangeError(`no such operation on this medium: ${type}`)',
    now: '',
    because: 'a body that names another was refused before: it is for the compiler, and for whoever forgets that',
  },
  {
    path: 'src/db/accounts/ledger.ts',
    was: "where kind = 'charge' and request_id > ${after} and request_id <= ${until}",
    now: "where kind = 'charge' and request_id <= ${until}",
    because: 'the join takes the requests of the piece alone: charges of others are summed for nothing',
  },
  {
    path: 'src/http/routes/console/payments.ts',
    was: 'const cents = (amount ?? 0) / MICRO_PER_CENT',
    now: 'const cents = (amount ?? 1) / MICRO_PER_CENT',
    because: 'a millionth of a dollar is no more an amount than nothing: both are refused with the same words',
  },
]
