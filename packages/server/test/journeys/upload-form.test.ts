import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readCodeBlocks } from '@mediamill/lab/support/code-blocks'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { startHttpServer } from '@mediamill/lab/support/http-server'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import type { Service } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { shared } from '@mediamill/lab/support/shared'
import { sampleFile } from '../../src/outbound/fetch/samples.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const blocks = readCodeBlocks().filter(({ page }) => page === 'docs/recipes/upload-form.md')
const blockOf = (language: string, nth = 0) => blocks.filter((block) => block.language === language)[nth]?.code ?? ''

/** Runs the commands of the recipe, and returns the restricted key that they create. */
async function runCommands(service: Service, folder: string, origin: string): Promise<string> {
  const script = [blockOf('sh'), blockOf('sh', 1)]
    .join('\n')
    .replaceAll('mediamill ', `'${process.execPath}' '${MAIN}' `)
    .replace('1001', String(service.account.id))
    .replace('https://www.example.com', origin)
  await writeFile(join(folder, 'avatar.json'), blockOf('json'))
  const { stdout } = await promisify(execFile)('bash', ['-eu', '-c', script], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      MEDIAMILL_URL: service.url,
      MEDIAMILL_API_KEY: service.account.liveKey,
      DATABASE_URL: service.databaseUrl,
      DATA_DIR: service.dataDir,
      SECRET_KEY,
    },
  })
  assert.match(stdout, /avatar@1/)
  return /svc_live_r_\w+/.exec(stdout)?.[0] ?? assert.fail(stdout)
}

/** Serves a page until the tests end, and returns its origin. */
async function servePage(pageOf: () => string): Promise<string> {
  const server = await startHttpServer((_call, response) => {
    response.setHeader('content-type', 'text/html').end(pageOf())
  })
  return shared(server).url
}

describe('the upload form of the recipe', { skip: WITHOUT_BROWSER }, async () => {
  const service = await sharedService()
  const browser = await sharedBrowser()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-form-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const [page, foreign] = [await servePage(() => html), await servePage(() => html)]
  const key = await runCommands(service, folder, page)
  const html = blockOf('html').replace('http://127.0.0.1:8080', service.url).replace('svc_live_r_...', key)

  async function upload(origin: string) {
    const opened = await browser.newPage()
    await opened.goto(origin)
    await opened.getByLabel('Photo').setInputFiles(fileURLToPath(sampleFile('portrait.jpg')))
    await opened.getByRole('button', { name: 'Upload' }).click()
    return opened
  }

  test('a web page with the upload form shows the result of a template, and needs no server of its own [auth.restricted.5]', async () => {
    const opened = await upload(page)
    await opened.waitForFunction("document.querySelector('img').naturalWidth > 0")
    const size = await opened.evaluate(
      '(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight])(document.images[0])',
    )
    assert.deepEqual(size, [128, 128])
    await opened.close()
  })

  test('the upload form shows an error message if the daily spend limit of its key is reached [auth.restricted.6]', async () => {
    await service.sql`
      update api_keys set restrictions = jsonb_set(restrictions, '{daily_spend}', '"0.002"') where restrictions is not null`
    const opened = await upload(page)
    await opened.getByText('the daily spending limit of this key').waitFor()
    await opened.close()
  })

  test('the upload form does not work on a page of another origin, and its key cannot be used for other calls [auth.restricted.2, auth.restricted.5]', async () => {
    const opened = await upload(foreign)
    await opened.getByText('The service cannot be reached. Try again.').waitFor()
    await opened.close()
    const headers = { origin: page }
    const call = async (method: string, path: string, body?: object) =>
      (await service.call(method, path, { key, headers, ...(body && { body }) })).body.error?.code
    const source = `${service.url}/docs/samples/portrait.jpg`
    assert.equal(
      await call('POST', '/v1/images/process', { source, operations: [{ type: 'orient' }] }),
      'key_restricted',
    )
    for (const path of ['/v1/account', '/v1/requests', '/v1/templates']) {
      assert.equal(await call('GET', path), 'key_restricted', path)
    }
  })
})
