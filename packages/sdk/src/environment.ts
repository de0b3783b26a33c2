type Process = { env?: Record<string, string | undefined>; getBuiltinModule?: (name: string) => unknown }

const runtime = (): Process | undefined => (globalThis as unknown as { process?: Process }).process

export function environmentVariable(name: string): string | undefined {
  try {
    const value = runtime()?.env?.[name]
    return value === '' ? undefined : value
  } catch {
    // Deno throws if the program has no permission to read the environment.
    return undefined
  }
}

/** Loads a built-in Node.js module. Returns `undefined` in other runtimes. An `import` would break browser bundlers. */
export function builtinModule<T>(name: string): T | undefined {
  return runtime()?.getBuiltinModule?.(name) as T | undefined
}

/** Returns whether this code runs in a browser, on a page or in a worker. Every visitor can read an API key there. */
export function isBrowser(): boolean {
  const scope = globalThis as unknown as {
    document?: unknown
    importScripts?: unknown
    navigator?: { userAgent?: string }
  }
  const isPage = scope.document !== undefined || typeof scope.importScripts === 'function'
  return isPage && /Mozilla/.test(scope.navigator?.userAgent ?? '')
}

/** Returns the origin of the current page, or `undefined` outside browsers. Pass it as `origin` of a new upload. */
export function pageOrigin(): string | undefined {
  const { location } = globalThis as unknown as { location?: { origin?: string } }
  return isBrowser() ? location?.origin : undefined
}
