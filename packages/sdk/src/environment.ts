/** The members of the runtime's `process` that are used. */
type Process = { env?: Record<string, string | undefined>; getBuiltinModule?: (name: string) => unknown }

const runtime = (): Process | undefined => (globalThis as unknown as { process?: Process }).process

/** Reads a variable of the environment. Returns `undefined` if it is missing or may not be read. */
export function environmentVariable(name: string): string | undefined {
  try {
    const value = runtime()?.env?.[name]
    return value === '' ? undefined : value
  } catch {
    // Deno requires a permission.
    return undefined
  }
}

/** Loads a module of Node.js if the runtime has it. An import would break bundlers for browsers. */
export function builtinModule<T>(name: string): T | undefined {
  return runtime()?.getBuiltinModule?.(name) as T | undefined
}

/** Reports whether this is a page or a worker of a browser. Every visitor of a page can read its keys. */
export function isBrowser(): boolean {
  const scope = globalThis as unknown as {
    document?: unknown
    importScripts?: unknown
    navigator?: { userAgent?: string }
  }
  const isPage = scope.document !== undefined || typeof scope.importScripts === 'function'
  return isPage && /Mozilla/.test(scope.navigator?.userAgent ?? '')
}

/**
 * Returns the origin of the page that runs this code. Only pages of this origin may send to a URL that is signed for
 * it.
 */
export function pageOrigin(): string | undefined {
  const { location } = globalThis as unknown as { location?: { origin?: string } }
  return isBrowser() ? location?.origin : undefined
}
