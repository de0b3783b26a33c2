/** A `T` with its own name, so that the compiler rejects, for example, the id of a key as the id of an account. */
export type Branded<T, Name extends string> = T & { readonly __brand: Name }

export type RequestId = Branded<number, 'RequestId'>
export type AccountId = Branded<number, 'AccountId'>

export function parseId<Id extends RequestId | AccountId>(text: string): Id | undefined {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined
  const id = Number(text)
  return Number.isSafeInteger(id) ? (id as Id) : undefined
}
