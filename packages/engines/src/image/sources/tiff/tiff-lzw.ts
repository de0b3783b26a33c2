const CLEAR = 256
const END = 257
const FIRST = 258
const MOST_CODES = 4096

/**
 * Undoes the LZW of TIFF 6.0 (section 13) into `to`. Gives how many bytes came out.
 *
 * Stops where `to` is full, at the end code, and where the data ends or makes no sense.
 */
export function unpackLzw(data: Buffer, to: Buffer): number {
  // Each code is the string of an earlier code and one byte more: it is read from its end.
  const prefix = new Uint16Array(MOST_CODES)
  const suffix = new Uint8Array(MOST_CODES)
  const lengths = new Uint16Array(MOST_CODES)
  const firsts = new Uint8Array(MOST_CODES)
  for (let byte = 0; byte < 256; byte += 1) {
    suffix[byte] = byte
    firsts[byte] = byte
    lengths[byte] = 1
  }
  let [next, width, previous, at, held, heldBits, out] = [FIRST, 9, -1, 0, 0, 0, 0]
  while (out < to.length) {
    while (heldBits < width && at < data.length) {
      held = ((held << 8) | (data[at] ?? 0)) & 0xffffff
      heldBits += 8
      at += 1
    }
    if (heldBits < width) return out
    heldBits -= width
    const code = (held >> heldBits) & ((1 << width) - 1)
    if (code === END) return out
    if (code === CLEAR) {
      next = FIRST
      width = 9
      previous = -1
      continue
    }
    if (code > next || (code === next && previous === -1) || (previous === -1 && code > 255)) return out
    if (previous !== -1 && next < MOST_CODES) {
      prefix[next] = previous
      lengths[next] = (lengths[previous] ?? 0) + 1
      // The code that is just being made ends with the byte that it begins with.
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
    // One code earlier than it would have to be: the writers' mistake that became the standard.
    if (next >= (1 << width) - 1 && width < 12) width += 1
  }
  return to.length
}
