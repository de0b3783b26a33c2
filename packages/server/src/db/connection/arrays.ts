/** How arrays of one type go to PostgreSQL and come back, by its number for the type. */
type ArrayType<Item> = {
  to: number
  from: number[]
  serialize: (items: (Item | null)[]) => string
  parse: (text: string) => Item[]
}

const array = <Item>(type: number, write: (item: Item) => string, read: (text: string) => Item[]): ArrayType<Item> => ({
  to: type,
  from: [type],
  serialize: (items) => `{${items.map((item) => (item === null ? 'null' : write(item))).join(',')}}`,
  parse: read,
})

const numbers = (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number))

/** Inside quotes only the quote and the backslash mean something. */
const quote = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`
const quoted = (text: string) => [...text.matchAll(/"((?:[^"\\]|\\.)*)"|[^{},]+/gs)].map(unquote)
const unquote = ([whole, inner]: RegExpExecArray) => inner?.replace(/\\(.)/gs, '$1') ?? whole

/**
 * The arrays that our statements use; what comes back has no null in it.
 *
 * postgres.js could ask every new connection which arrays there are; but a connection that is lost at that moment then
 * takes the whole process down, as happens behind PgBouncer whenever the database is away (postgres.js 3.4.9).
 */
export const ARRAYS = {
  bigints: array<number>(1016, String, numbers),
  integers: array<number>(1007, String, numbers),
  texts: array<string>(1009, quote, quoted),
  byteStrings: array<Buffer>(
    1001,
    (bytes) => quote(`\\x${bytes.toString('hex')}`),
    (text) => quoted(text).map((item) => Buffer.from(item.slice(2), 'hex')),
  ),
}
