import { builtinModule } from '../environment.ts'

/** A SHA-256 digest of data that arrives in pieces. WebCrypto accepts only complete data. */
export type Digest = { update: (bytes: Uint8Array) => void; hex: () => string }

type NodeCrypto = {
  createHash: (name: 'sha256') => { update: (bytes: Uint8Array) => void; digest: (as: 'hex') => string }
}

export function createDigest(): Digest {
  const hash = builtinModule<NodeCrypto>('node:crypto')?.createHash('sha256')
  return hash === undefined
    ? createPlainDigest()
    : { update: (bytes) => hash.update(bytes), hex: () => hash.digest('hex') }
}

/** Returns the first `count` primes. SHA-256 derives its constants from the roots of these primes. */
function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  return primes
}

const fraction = (x: number) => ((x - Math.floor(x)) * 2 ** 32) | 0
const K = Int32Array.from(firstPrimes(64), (prime) => fraction(Math.cbrt(prime)))
const START = Int32Array.from(firstPrimes(8), (prime) => fraction(Math.sqrt(prime)))

const BLOCK = 64

/** Creates a SHA-256 digest in plain JavaScript (FIPS 180-4), for browsers and workers. */
export function createPlainDigest(): Digest {
  const state = START.slice()
  const rest = new Uint8Array(BLOCK)
  let length = 0
  function update(bytes: Uint8Array): void {
    let from = 0
    const buffered = length % BLOCK
    length += bytes.length
    if (buffered > 0) {
      from = Math.min(BLOCK - buffered, bytes.length)
      rest.set(bytes.subarray(0, from), buffered)
      if (buffered + from < BLOCK) return
      compress(state, rest, 0)
    }
    for (; from + BLOCK <= bytes.length; from += BLOCK) compress(state, bytes, from)
    rest.set(bytes.subarray(from))
  }
  return {
    update,
    hex() {
      const bits = new DataView(new ArrayBuffer(8))
      bits.setBigUint64(0, BigInt(length) * 8n)
      const padding = new Uint8Array(1 + ((BLOCK + BLOCK - 9 - (length % BLOCK)) % BLOCK))
      padding[0] = 0x80
      update(padding)
      update(new Uint8Array(bits.buffer))
      return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
    },
  }
}

const WORDS = new Int32Array(64)
const word = (words: Int32Array, at: number) => words[at] as number
const turn = (x: number, by: number) => (x >>> by) | (x << (32 - by))

function compress(state: Int32Array, bytes: Uint8Array, from: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + from, BLOCK)
  for (let i = 0; i < 16; i++) WORDS[i] = view.getInt32(i * 4)
  for (let i = 16; i < 64; i++) {
    const [x, y] = [word(WORDS, i - 15), word(WORDS, i - 2)]
    const small = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)
    const large = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10)
    WORDS[i] = (word(WORDS, i - 16) + small + word(WORDS, i - 7) + large) | 0
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g)
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + word(K, i) + word(WORDS, i)) | 0
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority) | 0
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0]
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = (word(state, i) + value) | 0
}
