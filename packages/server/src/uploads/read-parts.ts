import type { Store } from '../store/store.ts'

/**
 * Reads the parts of an upload from the store, one after the other. Throws where a part is away, or not as long as it was.
 *
 * A store may give half of a file and say that this is all: what is read here is summed up or shown, and nobody looks again.
 */
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
    if (given !== size) throw new Error('the store gave less of a file than it has, or more')
  }
}
