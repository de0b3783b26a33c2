import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { readCodeBlocks } from '@mediamill/lab/support/code-blocks'
import type { Service } from '@mediamill/lab/support/service'
import { sharedFolder } from '@mediamill/lab/support/shared'
import type { ShellOptions } from '@mediamill/lab/support/shell'
import { runShell as pasteInto } from '@mediamill/lab/support/shell'

export const root = join(import.meta.dirname, '../../../..')
const blocks = readCodeBlocks().filter(({ language, page }) => language === 'sh' && !page.startsWith('docs/recipes/'))

export const named = blocks.map((block) => {
  const number = blocks.filter(({ page, line }) => page === block.page && line <= block.line).length
  return { ...block, name: `${block.page} ${number}` }
})
export const folder = await sharedFolder('mediamill-shell-')

const CLIENT = `exec "${process.execPath}" "${join(root, 'packages/cli/src/main.ts')}" "$@"`
export const CURL = `exec ${spawnSync('sh', ['-c', 'command -v curl'], { encoding: 'utf8' }).stdout.trim()} "$@"`
export const SERVER = `exec "${process.execPath}" "${join(root, 'packages/server/src/main.ts')}" "$@"`

export const paste = async (name: string, code: string, options: Partial<ShellOptions> = {}) =>
  await pasteInto(folder, name, code, { mediamill: CLIENT, ...options })

export const codeOf = (name: string) => {
  const code = named.find((block) => block.name === name)?.code
  assert.ok(code !== undefined, name)
  return code
}
export const codeOfPage = (page: string) => named.filter((block) => block.page === page).map(({ code }) => code)

export async function usedAccount({ call, url }: Service) {
  const body = { source: `${url}/docs/samples/photo.jpg` }
  const first = await call('POST', '/v1/images/read', { body })
  await call('POST', `/v1/requests/${first.body.id}/abort`)
  const { data } = (await call('GET', '/v1/events')).body
  return { event: String(data[0].id) }
}
