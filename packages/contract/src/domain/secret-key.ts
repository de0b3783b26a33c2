/** The fewest characters of a key: what an operator makes up may not be guessed. */
export const MIN_SECRET_KEY_LENGTH = 32

/**
 * The keys of a `SECRET_KEY`: the first signs and encrypts. Those after commas, which it replaced, are still accepted.
 */
export function secretKeysOf(secretKey: string): [string, ...string[]] {
  const [newest = '', ...older] = secretKey.split(',').map((key) => key.trim())
  return [newest, ...older]
}
