import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The export of the TypeScript sources. Only this repository uses it: the published package contains no sources. */
const SOURCES = './src/*'

type Manifest = { exports: Record<string, unknown>; bin?: unknown } & Record<string, unknown>

/** Changes a package.json for publication: removes the export of the sources, and adds the program `bin`. */
export async function publishManifest(folder: string, bin?: Record<string, string>): Promise<void> {
  await change(folder, ({ exports: { [SOURCES]: _, ...exports }, ...manifest }) => ({
    ...manifest,
    exports,
    ...(bin && { bin }),
  }))
}

/** Restores a package.json. It names no program, so that `npx mediamill` in a checkout runs the service's program. */
export async function restoreManifest(folder: string): Promise<void> {
  await change(folder, ({ bin: _, ...manifest }) => ({
    ...manifest,
    exports: { ...manifest.exports, [SOURCES]: `${SOURCES}.ts` },
  }))
}

async function change(folder: string, changed: (manifest: Manifest) => Manifest): Promise<void> {
  const path = join(folder, 'package.json')
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest
  await writeFile(path, `${JSON.stringify(changed(manifest), undefined, 2)}\n`)
}
