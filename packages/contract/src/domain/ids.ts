/** A value of type `T` that only its constructor can make. So ids of different things cannot be mixed up. */
export type Branded<T, Name extends string> = T & { readonly __brand: Name }

export type RequestId = Branded<number, 'RequestId'>
export type AccountId = Branded<number, 'AccountId'>
export type KeyId = Branded<number, 'KeyId'>

/**
 * Reads the id in a path segment. Returns `undefined` when the text is no positive integer that JSON can carry exactly.
 */
export function parseId<Id extends RequestId | AccountId | KeyId>(text: string): Id | undefined {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined
  const id = Number(text)
  return Number.isSafeInteger(id) ? (id as Id) : undefined
}
