import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

let stack: AsyncDisposableStack | undefined

/** Runs `work` after all tests of the current test file. Later `work` runs first. */
export function afterFile(work: () => unknown): void {
  if (stack === undefined) {
    const begun = new AsyncDisposableStack()
    after(() => begun.disposeAsync())
    stack = begun
  }
  stack.defer(async () => void (await work()))
}

/** Disposes of a resource after all tests of the current test file. */
export function shared<Resource extends AsyncDisposable>(resource: Resource): Resource {
  afterFile(() => resource[Symbol.asyncDispose]())
  return resource
}

export async function sharedFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix))
  afterFile(() => rm(folder, { recursive: true, force: true }))
  return folder
}
