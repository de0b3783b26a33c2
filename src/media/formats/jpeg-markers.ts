/** The second bytes of JPEG markers (ISO 10918-1, table B.1). */
export const SCAN = 0xda
export const END = 0xd9

/** TEM, the restart markers and a second start of image: they have no length. */
export const STANDALONE: ReadonlySet<number> = new Set([0x01, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8])
