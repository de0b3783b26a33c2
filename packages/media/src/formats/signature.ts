export type Signature = (head: Buffer) => boolean

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
