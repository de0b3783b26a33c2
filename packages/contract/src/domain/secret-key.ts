/** The minimum length of a key, so that it cannot be guessed. */
export const MIN_SECRET_KEY_LENGTH = 32

/** Returns the keys of a `SECRET_KEY`: the first key signs and encrypts, and the older keys after commas stay valid. */
export function secretKeysOf(secretKey: string): [string, ...string[]] {
  const [newest = '', ...older] = secretKey.split(',').map((key) => key.trim())
  return [newest, ...older]
}
