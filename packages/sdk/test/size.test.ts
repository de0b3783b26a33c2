import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** Returns the size in bytes after bundling, minifying, and compressing. */
async function weigh(entry: string): Promise<number> {
  const options = { bundle: true, minify: true, format: 'esm', target: 'es2022', write: false } as const
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../src', entry)],
    ...options,
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
}

test('the minified and compressed library is at most 16 kB, and its webhooks module is at most 2 kB', async (t) => {
  const [whole, webhooks] = [await weigh('index.ts'), await weigh('webhooks.ts')]
  t.diagnostic(`index ${whole} bytes, webhooks ${webhooks} bytes`)
  assert.ok(whole > 1000 && whole <= 16_000, `${whole} bytes`)
  assert.ok(webhooks > 500 && webhooks <= 2000, `${webhooks} bytes`)
})

test('the library imports no Node.js module and no package', async () => {
  const entryPoints = ['index.ts', 'webhooks.ts'].map((entry) => join(import.meta.dirname, '../src', entry))
  const { metafile } = await build({
    entryPoints,
    bundle: true,
    write: false,
    outdir: 'x',
    metafile: true,
    platform: 'browser',
    logLevel: 'silent',
  })
  for (const path of Object.keys(metafile.inputs)) assert.match(path, /packages\/sdk\/src\//)
})
