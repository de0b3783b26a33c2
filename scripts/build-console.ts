import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const CONSOLE = join(import.meta.dirname, '../console')

/** Builds the console, and compresses the files of `/docs`. Returns the error message if the build failed. */
export async function buildConsole(): Promise<string | undefined> {
  try {
    const { build } = await import('vite')
    await build({ root: CONSOLE, configFile: join(CONSOLE, 'vite.config.ts'), logLevel: 'error' })
    await compressAssets(join(CONSOLE, 'dist/assets'))
    await compressAssets(join(CONSOLE, '../docs/assets'))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function compressAssets(folder: string): Promise<void> {
  for (const name of globSync('*.{js,css,svg,json}', { cwd: folder })) {
    const file = join(folder, name)
    const bytes = await readFile(file)
    if (bytes.length <= 1_024) continue
    await writeFile(`${file}.br`, brotliCompressSync(bytes))
    await writeFile(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  }
}
