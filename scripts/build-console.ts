import { join } from 'node:path'

/** Builds the pages of the developer area into `console/dist`. Returns why that failed, if it did. */
export async function buildConsole(): Promise<string | undefined> {
  try {
    const { build } = await import('vite')
    await build({
      root: join(import.meta.dirname, '../console'),
      configFile: join(import.meta.dirname, '../console/vite.config.ts'),
      logLevel: 'error',
    })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
