export const MIN_SECRET_KEY_LENGTH = 32

/** Returns the comma-separated keys in `SECRET_KEY`. The first signs and encrypts; the others are still accepted. */
export function secretKeysOf(secretKey: string): [string, ...string[]] {
  const [newest = '', ...older] = secretKey.split(',').map((key) => key.trim())
  return [newest, ...older]
}
