const CLEAR = 256
const END = 257
const FIRST = 258
const MAX_CODES = 4096

/**
 * Unpacks LZW data (TIFF 6.0, section 13). Stops at damaged data, or when `to` is full. Returns the number of bytes
 * written.
 */
export function unpackLzw(data: Buffer, to: Buffer): number {
  // The string of a code is the string of an earlier code plus one byte, so it is read from its end.
  const prefix = new Uint16Array(MAX_CODES)
  const suffix = new Uint8Array(MAX_CODES)
  const lengths = new Uint16Array(MAX_CODES)
  const firsts = new Uint8Array(MAX_CODES)
  for (let byte = 0; byte < 256; byte += 1) {
    suffix[byte] = byte
    firsts[byte] = byte
    lengths[byte] = 1
  }
  let [next, width, previous, at, bits, bitCount, out] = [FIRST, 9, -1, 0, 0, 0, 0]
  while (out < to.length) {
    while (bitCount < width && at < data.length) {
      bits = ((bits << 8) | (data[at] ?? 0)) & 0xffffff
      bitCount += 8
      at += 1
    }
    if (bitCount < width) return out
    bitCount -= width
    const code = (bits >> bitCount) & ((1 << width) - 1)
    if (code === END) return out
    if (code === CLEAR) {
      next = FIRST
      width = 9
      previous = -1
      continue
    }
    if (code > next || (code === next && previous === -1) || (previous === -1 && code > 255)) return out
    if (previous !== -1 && next < MAX_CODES) {
      prefix[next] = previous
      lengths[next] = (lengths[previous] ?? 0) + 1
      // A code may refer to itself. Its string then ends with its first byte.
      suffix[next] = firsts[code === next ? previous : code] ?? 0
      firsts[next] = firsts[previous] ?? 0
      next += 1
    }
    const length = lengths[code] ?? 0
    let from = code
    for (let end = out + length - 1; end >= out; end -= 1) {
      if (end < to.length) to[end] = suffix[from] ?? 0
      from = prefix[from] ?? 0
    }
    out += length
    previous = code
    // Writers increase the code length one code early, because the first TIFF writers did.
    if (next >= (1 << width) - 1 && width < 12) width += 1
  }
  return to.length
}
