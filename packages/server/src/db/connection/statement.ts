export class Json {
  readonly text: string

  constructor(value: unknown) {
    this.text = JSON.stringify(value)
  }
}

/** A parameter of a statement, sent separately from the SQL. For an array, the SQL needs a cast, such as `::text[]`. */
export type Value = Scalar | Json | readonly Scalar[]

type Scalar = string | number | boolean | Date | Uint8Array | null

export class Fragment {
  readonly strings: readonly string[]
  readonly values: readonly (Value | Fragment)[]

  constructor(strings: readonly string[], values: readonly (Value | Fragment)[] = []) {
    this.strings = strings
    this.values = values
  }
}

export type Rows<Row extends readonly object[]> = Row & { readonly count: number }

export type Send = <Row extends readonly object[]>(statement: Statement<Row>) => Promise<Rows<Row>>

/** A statement. The first `await` sends it. With `isText`, it has no parameters and is not prepared. */
export class Statement<Row extends readonly object[]> extends Fragment implements Promise<Rows<Row>> {
  readonly isText: boolean
  readonly [Symbol.toStringTag] = 'Statement'
  readonly #send: Send
  #rows: Promise<Rows<Row>> | undefined

  constructor(send: Send, strings: readonly string[], values?: readonly (Value | Fragment)[]) {
    super(strings, values)
    this.#send = send
    this.isText = values === undefined
  }

  execute(): Promise<Rows<Row>> {
    this.#rows ??= this.#send(this)
    return this.#rows
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a statement can be awaited
  then<Result = Rows<Row>, Failure = never>(
    onRows?: ((rows: Rows<Row>) => Result | PromiseLike<Result>) | null,
    onError?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.execute().then(onRows, onError)
  }

  catch<Failure = never>(
    onError?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Rows<Row> | Failure> {
    return this.execute().catch(onError)
  }

  finally(onEnd?: (() => void) | null): Promise<Rows<Row>> {
    return this.execute().finally(onEnd)
  }
}

export type Composed = { text: string; values: unknown[] }

export function compose(fragment: Fragment): Composed {
  const values: unknown[] = []
  const write = (part: Fragment): string => {
    let [text = ''] = part.strings
    for (const [index, value] of part.values.entries()) {
      text += value instanceof Fragment ? write(value) : placeholder(value, values)
      text += part.strings[index + 1] ?? ''
    }
    return text
  }
  return { text: write(fragment), values }
}

/** Adds a parameter with a cast to its type. Without the cast, PostgreSQL could infer another type. */
function placeholder(value: Value | undefined, values: unknown[]): string {
  if (value === undefined) throw new TypeError('a value of a statement is undefined')
  const [sent, cast] = typed(value)
  return `$${values.push(sent)}${cast}`
}

function typed(value: Value): [unknown, string] {
  if (value instanceof Json) return [value.text, '::json']
  if (value instanceof Date) return [value.toISOString(), '::timestamptz']
  if (value instanceof Uint8Array) return [value, '::bytea']
  if (typeof value === 'boolean') return [value, '::boolean']
  return [value, '']
}
