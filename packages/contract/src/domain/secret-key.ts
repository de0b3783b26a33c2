/** The minimum number of characters of a key, so that the key cannot be guessed. */
export const MIN_SECRET_KEY_LENGTH = 32

/**
 * Returns the keys in a `SECRET_KEY`, which are separated by commas. The first key signs and encrypts. The older keys
 * after it stay valid.
 */
export function secretKeysOf(secretKey: string): [string, ...string[]] {
  const [newest = '', ...older] = secretKey.split(',').map((key) => key.trim())
  return [newest, ...older]
}
