export function readVersion(search: Record<string, unknown>): { version?: number | undefined } {
  const version = Number(search['version'])
  return Number.isSafeInteger(version) && version > 0 ? { version } : {}
}
