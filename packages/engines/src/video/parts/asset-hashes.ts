import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { EngineAsset } from '../../protocol/messages.ts'

/** The SHA-256 of each further file, in order. */
export async function hashAssets(assets: readonly EngineAsset[]): Promise<string[]> {
  const hashes: string[] = []
  for (const { path } of assets) {
    const hash = createHash('sha256')
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
    hashes.push(hash.digest('hex'))
  }
  return hashes
}
