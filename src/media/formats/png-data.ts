/** The compressed rows of a PNG: a PDF holds them as they are, with PNG's own predictors (ISO 32000-1, 7.4.4). */
export function pngData(file: Buffer): Buffer {
  const parts: Buffer[] = []
  // Behind the signature: length, type, data, checksum.
  for (let at = 8; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at)
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(file.subarray(at + 8, at + 8 + length))
    at += 12 + length
  }
  return Buffer.concat(parts)
}
