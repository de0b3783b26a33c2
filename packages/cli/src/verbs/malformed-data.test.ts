import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { startHttpServer } from '@mediamill/lab/support/http-server'
import { shared, sharedFolder } from '@mediamill/lab/support/shared'

const MAIN = join(import.meta.dirname, '../main.ts')

const folder = await sharedFolder('mediamill-malformed-')

let body: unknown
const { url } = shared(
  await startHttpServer((_, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
  ),
)

async function stderrOf(...args: string[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const env = {
    ...process.env,
    MEDIAMILL_URL: url,
    MEDIAMILL_API_KEY: 'svc_live_key',
    XDG_STATE_HOME: folder,
  }
  execFile(process.execPath, [MAIN, ...args], { env }, (error, _, stderr) => {
    resolve(`${error?.code} ${stderr}`)
  })
  return await promise
}

const listOf = (item: unknown) => ({ object: 'list', data: [item], has_more: false })
const request = {
  id: 17,
  object: 'request',
  status: 'queued',
  endpoint: 'images/read',
  source: 'x',
  created_at: 'nope',
}

test('if the service returns malformed data, commands print one line of error instead of a stack trace', async () => {
  for (const [args, data, message] of [
    [['requests'], listOf(request), /Invalid time value\). Add --json to print the data\.$/],
    [['requests'], {}, /The response is not a list: check the base URL\.$/],
    [['requests'], listOf(null), /The response is not a list/],
    [['get', '17'], request, /Invalid time value/],
    [
      ['get', '17', '--wait'],
      { ...request, status: 'succeeded' },
      /Request 17 succeeded, but the response has no result/,
    ],
    [['get', '17', '--wait'], { ...request, status: 'succeeded', result: { files: [null] } }, /has no result/],
    [
      ['process', 'https://example.com/a.jpg', '--grayscale', '-o', join(folder, 'out.jpg')],
      { ...request, status: 'succeeded', limits: { concurrent_requests: 1, max_source_bytes: 1 } },
      /has no result/,
    ],
    [['templates', 'list'], listOf({ id: 'card@1' }), /The response has data that this version cannot show/],
    [['templates', 'list'], {}, /The response is not a list/],
    [['usage'], { data: [{}] }, /The response has data that this version cannot show/],
    [['account'], {}, /The response has data that this version cannot show/],
  ] as const) {
    body = data
    const [line, ...others] = (await stderrOf(...args)).trimEnd().split('\n')
    assert.match(line ?? '', /^1 mediamill: /, args.join(' '))
    assert.match(line ?? '', message)
    assert.deepEqual(others, [], args.join(' '))
  }
})
