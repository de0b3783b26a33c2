import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { sharedBrowser, WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { clipboardText } from '@mediamill/lab/support/console/page-state'
import { sharedService } from '@mediamill/lab/support/service'
import { runShell } from '@mediamill/lab/support/shell'
import { sampleFile } from '../../../../src/outbound/fetch/samples.ts'

const root = join(import.meta.dirname, '../../../../../..')
const execute = promisify(execFile)
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const TABS: Record<string, (code: string, folder: string, key: string) => Promise<{ work: string }>> = {
  curl: pasteIntoShell,
  CLI: pasteIntoShell,
  Python: async (code, folder, key) =>
    await pasteIntoShell(`cat > program.py <<'END'\n${code}\nEND\npython3 program.py`, folder, key),
  async TypeScript(code, work, key) {
    const library = join(work, 'node_modules/@mediamill/sdk')
    await mkdir(library, { recursive: true })
    await writeFile(join(library, 'package.json'), '{"type": "module", "exports": "./index.js"}')
    const source = pathToFileURL(join(root, 'packages/sdk/src/index.ts')).href
    await writeFile(join(library, 'index.js'), `export * from '${source}'`)
    await writeFile(join(work, 'photo.jpg'), await readFile(sampleFile('photo.jpg')))
    await writeFile(join(work, 'process.mts'), code)
    const env = { PATH: process.env['PATH'], MEDIAMILL_API_KEY: key }
    await execute(process.execPath, ['process.mts'], { cwd: work, env })
    return { work }
  },
}

async function pasteIntoShell(code: string, folder: string, key: string) {
  const mediamill = `exec '${process.execPath}' '${join(root, 'packages/server/src/main.ts')}' "$@"`
  return await runShell(folder, 'shell', code, { mediamill, env: { MEDIAMILL_API_KEY: key } })
}

describe('the code of the playground, pasted unchanged', { skip: WITHOUT_BROWSER }, async () => {
  const service = await sharedService()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-pasted-'))
  const { page } = await openPages(await sharedBrowser(), service, { kind: 'account', accountId: service.account.id })
  await page.goto(`${service.url}/console/playground?format=webp`)
  await page.getByText('Your file').click()
  await page.getByLabel(/^Choose a/).setInputFiles(fileURLToPath(sampleFile('photo.jpg')))
  await page.getByText(/Drop another file to replace it/).waitFor()
  await page.getByRole('button', { name: 'Add an operation' }).click()
  await page.getByRole('menuitem', { name: /^Watermark/ }).click()
  await page.getByRole('button', { name: 'Create a text watermark' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Text' }).fill('It\'s © "Ada"\n$HOME, 100 %')
  await dialog.getByRole('switch', { name: 'Shadow' }).check()
  await dialog.getByRole('button', { name: 'Create watermark' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('status').getByText('succeeded').waitFor()
  const link = await page.getByRole('link', { name: /^Download/ }).getAttribute('href')
  const response = await fetch(new URL(link ?? '', service.url))
  const expected = sha256(new Uint8Array(await response.arrayBuffer()))
  after(() => rm(folder, { recursive: true, force: true }))

  for (const [tab, run] of Object.entries(TABS)) {
    test(`${tab} code of the playground, run unchanged, uploads the file, draws the text, and downloads the same result`, async () => {
      await page.getByRole('tab', { name: tab, exact: true }).click()
      const block = page.getByRole('region', { name: `Code for ${tab}` })
      await block.getByRole('button', { name: 'Copy' }).click()
      await block.getByRole('button', { name: 'Copied' }).waitFor()
      const code = await clipboardText(page)
      assert.ok(!code.includes('upload:upl_'), code)
      const work = join(folder, tab)
      await mkdir(work)
      const ran = await run(code, work, service.account.liveKey)
      assert.equal(sha256(await readFile(join(ran.work, 'result.webp'))), expected)
    })
  }

  test('the code in every tab of the playground downloads each file of several outputs', async () => {
    const mark = { type: 'watermark', image_url: `${service.url}/docs/samples/logo.png`, x: 0, y: 0 }
    const outputs = [
      { name: 'large', format: 'png', operations: [{ type: 'resize', width: 60, height: 60 }, mark] },
      { name: 'small', format: 'avif', max_bytes: 5000 },
    ]
    const search = new URLSearchParams({ outputs: JSON.stringify(outputs), operations: '[{"type":"grayscale"}]' })
    await page.goto(`${service.url}/console/playground?${search}`)
    assert.equal((await digestsOfTabs('outputs', ['large.png', 'small.avif'])).size, 1)
  })

  test('the code in every tab of the page of a template runs the template, and downloads each file', async () => {
    const resize = { type: 'resize', width: { variable: 'side' }, height: 60 }
    const outputs = [
      { name: 'large', format: 'png', operations: [resize] },
      { name: 'small', format: { variable: 'format' } },
    ]
    const variables = { side: { type: 'integer', minimum: 50 }, format: { type: 'string', enum: ['gif', 'jpg'] } }
    const template = { name: 'files', operations: [{ type: 'grayscale' }], outputs, variables }
    await service.call('POST', '/v1/templates', { body: template })
    await page.goto(`${service.url}/console/templates/files`)
    assert.equal((await digestsOfTabs('template', ['large.png', 'small.gif'])).size, 1)
  })

  async function digestsOfTabs(name: string, names: readonly string[]): Promise<ReadonlySet<string>> {
    const digests = new Set<string>()
    for (const [tab, run] of Object.entries(TABS)) {
      await page.getByRole('tab', { name: tab, exact: true }).click()
      await page
        .getByRole('region', { name: `Code for ${tab}` })
        .getByRole('button', { name: 'Copy' })
        .click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      const work = join(folder, `${tab}-${name}`)
      await mkdir(work)
      const ran = await run(await clipboardText(page), work, service.account.liveKey)
      const prefix = tab === 'CLI' ? 'out/photo-' : ''
      const files = names.map((file) => readFile(join(ran.work, `${prefix}${file}`)))
      digests.add((await Promise.all(files)).map(sha256).join())
    }
    return digests
  }
})
