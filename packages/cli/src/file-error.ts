const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'your disk quota is used up',
  EISDIR: 'it is a folder',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
}

/** Returns the code of an error of the file system, or `undefined` for any other error. */
export function fileErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return /^E[A-Z]+$/.test(error.code) ? error.code : undefined
}

/** Returns the reason of a file system error in words, or its code, such as `EIO`, if the error is rare. */
export function fileErrorReason(error: unknown): string | undefined {
  const code = fileErrorCode(error)
  return code === undefined ? undefined : (REASONS[code] ?? code)
}
