import assert from 'node:assert/strict'
import { mkdtempDisposable, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { saveStream } from './save-stream.ts'

test("saving a broken stream throws the stream's error, even if the temporary file was deleted during the save", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'save-'))
  const broken = new Error('the connection broke')
  const stream = new ReadableStream({
    async pull(controller) {
      for (const name of await readdir(folder.path)) await rm(join(folder.path, name))
      controller.error(broken)
    },
  })
  await assert.rejects(saveStream(join(folder.path, 'out.jpg'), stream), broken)
})
