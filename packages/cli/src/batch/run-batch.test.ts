import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { microUsd } from '@mediamill/contract/domain/money'
import { sharedFolder } from '@mediamill/lab/support/shared'
import type { Planned } from './plan-jobs.ts'
import { runBatch } from './run-batch.ts'
import type { Finished, Runner } from './runner.ts'

const folder = await sharedFolder('run-batch')

test('the first of several inputs with one request is the input that is charged, even if its result is saved last', async () => {
  const secondIsSaved = Promise.withResolvers<void>()
  const planned = ['one.png', 'two.png'].map((label): Planned => {
    const job = { endpoint: 'images/process', source: { kind: 'file', path: label }, body: {}, overlays: [] } as const
    return {
      input: { kind: 'file', path: label, label, name: label, ending: 'png', folder: '' },
      index: 0,
      job,
      paths: [join(folder, label)],
      files: [],
      findsName: false,
    }
  })
  const runner: Runner = {
    async *run(jobs) {
      let count = 0
      for await (const one of jobs) {
        count += 1
        const isFirst = count === 1
        const saveTo = async (path: string) => {
          if (isFirst) await secondIsSaved.promise
          await writeFile(path, 'x')
        }
        const done = { data: {}, price: microUsd(2_000), isEarlier: !isFirst, request: { id: 7 } }
        yield { ...one, ok: true, done: { ...done, files: [{ sha256: '', saveTo }] } } satisfies Finished
      }
    },
    [Symbol.asyncDispose]: async () => {},
  }
  const ended = await runBatch(runner, planned, {
    force: true,
    isJson: false,
    signal: new AbortController().signal,
    listener: {
      began: () => {},
      progressed: () => {},
      ended: ({ planned: { input } }) => {
        if (input.label === 'two.png') secondIsSaved.resolve()
      },
    },
  })
  assert.deepEqual(
    ended.map((one) => [one.planned.input.label, one.sameAs]),
    [
      ['two.png', 'one.png'],
      ['one.png', undefined],
    ],
  )
})
