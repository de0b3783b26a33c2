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
]
