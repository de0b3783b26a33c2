/** What is used of the runtime's `process`, where it has one. */
type Process = { env?: Record<string, string | undefined>; getBuiltinModule?: (name: string) => unknown }

const runtime = (): Process | undefined => (globalThis as unknown as { process?: Process }).process

/** Reads a variable of the environment. It is `undefined` where there is none, or where it may not be read. */
export function environmentVariable(name: string): string | undefined {
  try {
    const value = runtime()?.env?.[name]
    return value === '' ? undefined : value
  } catch {
    // Deno asks for a permission.
    return undefined
  }
}

/** Loads a module of Node.js where the runtime has it. There is no import that bundlers for browsers trip over. */
export function builtinModule<T>(name: string): T | undefined {
  return runtime()?.getBuiltinModule?.(name) as T | undefined
}

/** Tells whether this is a page or a worker of a browser. There whoever looks can read a key. */
export function isBrowser(): boolean {
  const scope = globalThis as unknown as {
    document?: unknown
    importScripts?: unknown
    navigator?: { userAgent?: string }
  }
  const isPage = scope.document !== undefined || typeof scope.importScripts === 'function'
  return isPage && /Mozilla/.test(scope.navigator?.userAgent ?? '')
}

/** Returns the origin of the page that this runs in. Only its pages may send to a URL that is signed for it. */
export function pageOrigin(): string | undefined {
  const { location } = globalThis as unknown as { location?: { origin?: string } }
  return isBrowser() ? location?.origin : undefined
}
