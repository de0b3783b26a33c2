import { randomBytes } from 'node:crypto'
import { checksOf } from '../kit/check.ts'
import { same } from '../kit/expect.ts'
import type { Json } from '../kit/json.ts'
import type { Kit } from '../kit/kit.ts'

const PATH = '/v1/templates'

const fields = (height: number) => ({
  operations: [{ type: 'resize', width: { variable: 'width' }, height, preserve_aspect_ratio: false }],
  output: { format: 'png' },
  variables: { width: { type: 'integer', default: 5, maximum: 9 } },
})

/** Runs a check with the name of a new template, which is deleted at the end. */
async function withName(kit: Kit, check: (name: string) => Promise<void>): Promise<void> {
  const name = `conformance-${randomBytes(6).toString('hex')}`
  try {
    await check(name)
  } finally {
    await kit.call('DELETE', `${PATH}/${name}`)
  }
}

const save = async (kit: Kit, name: string, height: number): Promise<[number, Json]> => {
  const { status, body } = await kit.call('POST', PATH, { body: { name, ...fields(height) } })
  return [status, body]
}

/** Templates. */
export const TEMPLATES = checksOf([
  {
    title: 'a template has versions, which are listed, returned, and deleted together',
    rules: ['templates.create.1', 'templates.create.2', 'templates.delete.1'],
    run: async (kit) =>
      await withName(kit, async (name) => {
        const [[created, first], [, second], [repeated, same2]] = [
          await save(kit, name, 5),
          await save(kit, name, 6),
          await save(kit, name, 6),
        ]
        same([created, first.id, second.id], [201, `${name}@1`, `${name}@2`], 'the versions')
        same([repeated, same2], [200, second], 'the same content again')
        same((await kit.call('GET', `${PATH}/${name}`)).body, second, 'the newest version')
        same((await kit.call('GET', `${PATH}/${name}@1`)).body, first, 'version 1')
        const { body: page } = await kit.call('GET', `${PATH}?limit=1&after=${name.slice(0, -1)}`)
        same(page.data, [second], 'the list')
        same((await kit.call('DELETE', `${PATH}/${name}`)).body.deleted, true, 'the deletion')
        await kit.refused(kit.call('GET', `${PATH}/${name}@1`), 404, 'not_found')
        await kit.refused(kit.call('DELETE', `${PATH}/${name}`), 404, 'not_found')
      }),
  },
  {
    title: 'a template runs with its variables, which errors name',
    rules: ['templates.run.1', 'templates.run.2', 'templates.run.3'],
    run: async (kit) =>
      await withName(kit, async (name) => {
        await save(kit, name, 5)
        await save(kit, name, 6)
        const source = await kit.picture()
        const run = async (body: object) => {
          const { input, result } = await kit.succeed('images/process', { source, ...body })
          return [input.template, input.operations[0].width, result.data.width, result.data.height]
        }
        same(await run({ template: name }), [`${name}@2`, 5, 5, 6], 'the newest version with its default')
        const pinned = { template: `${name}@1`, variables: { width: 7 } }
        same(await run(pinned), [`${name}@1`, 7, 7, 5], 'a version with a variable')
        await kit.invalid(
          'images/process',
          { source, ...pinned, variables: { width: 10 } },
          'variables.width',
          'out_of_range',
        )
        await kit.invalid('images/process', { source, ...pinned, output: {} }, 'output', 'invalid_value')
        const unknown = kit.call('POST', '/v1/images/process', { body: { source, template: `${name}@3` } })
        await kit.refused(unknown, 422, 'template_not_found', 'template')
      }),
  },
])
