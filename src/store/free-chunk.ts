/**
 * Frees the memory of a chunk at once, if nothing shares it. Nobody may look at the chunk afterwards.
 *
 * Left to the collector, every 64 MB of chunks would have it mark the whole heap: a quarter to a half of the processor
 * time of an upload, and 40 MB of memory.
 */
export function freeChunk(chunk: Buffer): void {
  const { buffer } = chunk
  if (buffer instanceof ArrayBuffer && buffer.byteLength === chunk.length) buffer.transfer(0)
}
