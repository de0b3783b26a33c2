import type { Store } from '../store/store.ts'

/** Reads the parts in order. Checks the size of each part, because a store may return half a file without an error. */
export async function* readParts(
  store: Pick<Store, 'open'>,
  parts: readonly { key: string; size: number }[],
): AsyncGenerator<Buffer> {
  for (const { key, size } of parts) {
    const opened = await store.open(key)
    if (opened === undefined) throw new Error('a part of an upload is not in the store')
    let given = 0
    for await (const chunk of opened.body as AsyncIterable<Buffer>) {
      given += chunk.length
      yield chunk
    }
    if (given !== size) throw new Error('the store returned a part with another size')
  }
}
