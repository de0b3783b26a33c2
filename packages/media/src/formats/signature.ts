/** Returns whether a file that starts with `head` has a format. */
export type Signature = (head: Buffer) => boolean

/** Matches `text` at `offset`, byte for byte. */
export function at(offset: number, text: string): Signature {
  const bytes = Buffer.from(text, 'latin1')
  return (head) => head.subarray(offset, offset + bytes.length).equals(bytes)
}

export const all =
  (...signatures: Signature[]): Signature =>
  (head) =>
    signatures.every((matches) => matches(head))

export const any =
  (...signatures: Signature[]): Signature =>
  (head) =>
    signatures.some((matches) => matches(head))
