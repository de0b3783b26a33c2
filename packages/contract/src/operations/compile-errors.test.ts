import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../../../..')
const COMPILER = join(root, 'node_modules/typescript/bin/tsc')

function errorsOf(drawings: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'compile-errors-'))
  try {
    const operations = drawings.map(
      (drawing) => `defineOperation({ name: 'a', description: 'A.', params, ${drawing} })`,
    )
    const head = [
      `import { defineOperation } from '${root}/packages/contract/src/operations/operation.ts'`,
      "declare const params: Parameters<typeof defineOperation>[0]['params']",
    ]
    writeFileSync(join(folder, 'made.mts'), [...head, ...operations].join('\n'))
    const project = {
      extends: `${root}/tsconfig.json`,
      compilerOptions: { typeRoots: [`${root}/node_modules/@types`] },
      include: ['made.mts'],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
    const flags = ['--noEmit', '--pretty', 'false', '-p', folder]
    const { stdout } = spawnSync(process.execPath, [COMPILER, ...flags], { encoding: 'utf8' })
    const errors = stdout.split(/^(?=\S)/m)
    return drawings.map((_, index) =>
      errors.filter((error) => error.includes(`made.mts(${head.length + index + 1},`)).join(''),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('if an image step or video filter is missing from a list, the TypeScript error names the list that needs the new entry', () => {
  const step = /"a step of the list in packages\/media\/src\/steps\/image-steps\.ts"/
  const filter = /"a filter of the list in packages\/contract\/src\/drawing\/video-filters\.ts"/
  const cases: [string, RegExp][] = [
    ["image: () => [{ step: 'flip', horizontal: true, vertical: false }]", /^$/],
    ["image: () => [{ step: 'whistle' }]", step],
    ["image: () => [{ step: 'whistle', radius: 1 }]", step],
    ["image: () => [{ step: 'whistle', horizontal: true, vertical: true }]", step],
    ["image: () => [{ step: 'flip', horizontal: true }]", /Property 'vertical' is missing/],
    ["video: () => [{ name: 'hflip', args: {} }]", /^$/],
    ["video: () => [{ name: 'whistle', args: {} }]", filter],
    ["video: () => [{ name: 'whistle', args: { sigma: 2 } }]", filter],
    ["video: () => [{ name: 'whistle', args: { w: 1, h: 1 } }]", filter],
    ["video: () => [{ name: 'crop', args: { w: 1 } }]", /Property 'h' is missing/],
  ]
  const errors = errorsOf(cases.map(([drawing]) => drawing))
  for (const [index, [drawing, pattern]] of cases.entries()) assert.match(errors[index] ?? '', pattern, drawing)
})
