import type { FileHandle } from 'node:fs/promises'

/** Writes all bytes at a position. One call of `write` may write only some of the bytes. */
export async function writeAt(file: Pick<FileHandle, 'write'>, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten
  }
}
