/** Returns an ICC profile of version 2, with a linear tone curve (ICC.1:2001-04). */
export function linearGrayProfile(): Buffer {
  const tag = (name: string, ...bytes: number[]) =>
    Buffer.concat([Buffer.from(name), Buffer.from([0, 0, 0, 0, ...bytes])])
  const xyz = Buffer.concat([tag('XYZ '), Buffer.from('0000f6d6000100000000d32d', 'hex')])
  const description = Buffer.concat([tag('desc', 0, 0, 0, 7), Buffer.from('linear\0'), Buffer.alloc(79)])
  const parts = [
    ['desc', description],
    ['cprt', Buffer.concat([tag('text'), Buffer.from('none\0')])],
    ['wtpt', xyz],
    ['kTRC', tag('curv', 0, 0, 0, 0)],
  ] as const
  const table = Buffer.alloc(4 + parts.length * 12)
  table.writeUInt32BE(parts.length)
  let end = 128 + table.length
  const bodies = parts.map(([name, body], index) => {
    table.write(name, 4 + index * 12, 'latin1')
    table.writeUInt32BE(end, 8 + index * 12)
    table.writeUInt32BE(body.length, 12 + index * 12)
    const padded = Buffer.concat([body, Buffer.alloc((4 - (body.length % 4)) % 4)])
    end += padded.length
    return padded
  })
  const header = Buffer.alloc(128)
  header.writeUInt32BE(end)
  header.write('\x02\x10', 8, 'latin1')
  header.write('mntrGRAYXYZ ', 12, 'latin1')
  header.write('acsp', 36, 'latin1')
  xyz.copy(header, 68, 8)
  return Buffer.concat([header, table, ...bodies])
}
