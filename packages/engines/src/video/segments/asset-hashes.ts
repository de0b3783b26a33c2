import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { AdditionalInput } from '../../protocol/messages.ts'

export async function hashAssets(assets: readonly AdditionalInput[]): Promise<string[]> {
  const hashes: string[] = []
  for (const { path } of assets) {
    const hash = createHash('sha256')
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
    hashes.push(hash.digest('hex'))
  }
  return hashes
}
