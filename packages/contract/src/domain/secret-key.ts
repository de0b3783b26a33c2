export const MIN_SECRET_KEY_LENGTH = 32

/** Returns the comma-separated keys of `SECRET_KEY`. The first signs and encrypts, and the others stay valid. */
export function secretKeysOf(secretKey: string): [string, ...string[]] {
  const [newest = '', ...older] = secretKey.split(',').map((key) => key.trim())
  return [newest, ...older]
}
