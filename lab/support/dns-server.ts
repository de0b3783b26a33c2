import { createSocket } from 'node:dgram'

/** A DNS response: addresses (possibly none), or an error. With `silent`, the server sends no response. */
export type DnsAnswer = string[] | 'NXDOMAIN' | 'SERVFAIL' | 'silent'

export type DnsQuestion = { name: string; type: 'A' | 'AAAA' }

export type DnsServer = AsyncDisposable & {
  /** The address and port of the server, as in `Network.dnsServers`. */
  address: string
  questions: DnsQuestion[]
}

export async function startDnsServer(answer: (question: DnsQuestion) => DnsAnswer, port = 0): Promise<DnsServer> {
  const questions: DnsQuestion[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const question = readQuestion(query)
    if (question === undefined) return
    questions.push(question)
    const output = answer(question)
    if (output !== 'silent') socket.send(writeAnswer(query, question, output), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(port, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

const TYPES: ReadonlyMap<number, DnsQuestion['type']> = new Map([
  [1, 'A'],
  [28, 'AAAA'],
])
const HEADER_BYTES = 12

function readQuestion(query: Buffer): DnsQuestion | undefined {
  const labels: string[] = []
  let offset = HEADER_BYTES
  for (let length = query[offset] ?? 0; length > 0; length = query[offset] ?? 0) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length))
    offset += 1 + length
  }
  const type = TYPES.get(query.readUInt16BE(offset + 1))
  return type && { name: labels.join('.').toLowerCase(), type }
}

/** Encodes a DNS response (RFC 1035, section 4.1). The name of each record is a pointer to the name in the query. */
function writeAnswer(query: Buffer, question: DnsQuestion, output: Exclude<DnsAnswer, 'silent'>): Buffer {
  const addresses = Array.isArray(output) ? output : []
  const header = Buffer.from(query.subarray(0, HEADER_BYTES))
  header.writeUInt16BE(0x8180 | (output === 'NXDOMAIN' ? 3 : output === 'SERVFAIL' ? 2 : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  header.writeUInt32BE(0, 8)
  const questionEnd = query.indexOf(0, HEADER_BYTES) + 5
  const records = addresses.map((address) => {
    const data = question.type === 'A' ? ipv4Bytes(address) : ipv6Bytes(address)
    const head = Buffer.from([0xc0, HEADER_BYTES, 0, question.type === 'A' ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, data.length])
    return Buffer.concat([head, data])
  })
  return Buffer.concat([header, query.subarray(HEADER_BYTES, questionEnd), ...records])
}

const ipv4Bytes = (address: string) => Buffer.from(address.split('.').map(Number))

function ipv6Bytes(address: string): Buffer {
  const [left = '', right] = address.split('::')
  const parts = (text: string) => (text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16)))
  const head = parts(left)
  const tail = parts(right ?? '')
  const words = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
  return Buffer.from(words.flatMap((word) => [word >> 8, word & 0xff]))
}
