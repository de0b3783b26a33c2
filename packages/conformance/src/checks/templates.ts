import { randomBytes } from 'node:crypto'
import { checksOf } from '../kit/check.ts'
import { equal } from '../kit/expect.ts'
import type { Json } from '../kit/json.ts'
import type { Kit } from '../kit/kit.ts'
import { quarters } from '../media/image.ts'
import { encodePng } from '../media/png.ts'

const PATH = '/v1/templates'

const fields = (height: number) => ({
  operations: [{ type: 'resize', width: { variable: 'width' }, height, preserve_aspect_ratio: false }],
  output: { format: 'png' },
  variables: { width: { type: 'integer', default: 5, maximum: 9 } },
})

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

export const TEMPLATES = checksOf([
  {
    title:
      'each change of a template creates a version that can be read, and deleting the template deletes all its versions',
    rules: ['templates.create.1', 'templates.create.2', 'templates.delete.1'],
    run: async (kit) =>
      await withName(kit, async (name) => {
        const [[created, first], [, second], [repeated, unchanged]] = [
          await save(kit, name, 5),
          await save(kit, name, 6),
          await save(kit, name, 6),
        ]
        equal([created, first.id, second.id], [201, `${name}@1`, `${name}@2`], 'the versions')
        equal([repeated, unchanged], [200, second], 'the same content again')
        equal((await kit.call('GET', `${PATH}/${name}`)).body, second, 'the newest version')
        equal((await kit.call('GET', `${PATH}/${name}@1`)).body, first, 'version 1')
        const { body: page } = await kit.call('GET', `${PATH}?limit=1&after=${name.slice(0, -1)}`)
        equal(page.data, [second], 'the list')
        await kit.rejects(kit.call('DELETE', `${PATH}/${name}@1`), 404, 'not_found')
        equal((await kit.call('DELETE', `${PATH}/${name}`)).body.deleted, true, 'the deletion')
        await kit.rejects(kit.call('GET', `${PATH}/${name}@1`), 404, 'not_found')
        await kit.rejects(kit.call('DELETE', `${PATH}/${name}`), 404, 'not_found')
      }),
  },
  {
    title:
      'a template is rejected if its operations are invalid with the variable defaults, or if it has a destination or more than 50 variables',
    rules: ['templates.create.3', 'templates.limits.1'],
    run: async (kit) =>
      await withName(kit, async (name) => {
        const reject = (more: object, param: string) =>
          kit.rejects(
            kit.call('POST', PATH, { body: { name, ...fields(5), ...more } }),
            422,
            'validation_failed',
            param,
          )
        const width = { type: 'integer', default: 0 }
        await reject({ variables: { width } }, 'operations.0.width')
        await reject({ output: { destination: { url: 'https://example.com/a' } } }, 'output.destination')
        const many = Object.fromEntries(
          Array.from({ length: 50 }, (_, n) => [`v${n}`, { type: 'string', default: '' }]),
        )
        await reject({ variables: { ...fields(5).variables, ...many } }, 'variables')
        await kit.rejects(kit.call('GET', `${PATH}/${name}`), 404, 'not_found')
      }),
  },
  {
    title: 'a template belongs to one account, and keys of both modes (live and test) can read it',
    needs: ['live', 'test', 'other'],
    rules: ['templates.list.1'],
    run: async (kit) =>
      await withName(kit, async (name) => {
        const [, saved] = await save(kit, name, 5)
        equal((await kit.call('GET', `${PATH}/${name}`, { key: kit.key('test') })).body, saved, 'the template')
        const key = kit.key('other')
        for (const method of ['GET', 'DELETE'])
          await kit.rejects(kit.call(method, `${PATH}/${name}`, { key }), 404, 'not_found')
        const { data } = (await kit.call('GET', `${PATH}?limit=1&after=${name.slice(0, -1)}`, { key })).body
        equal(data, [], 'the list of another account')
        const run = { key, body: { source: await kit.image(key), template: name } }
        await kit.rejects(kit.call('POST', '/v1/images/process', run), 422, 'template_not_found', 'template')
      }),
  },
  {
    title:
      'a retry with the same idempotency key and template name returns the first request, even after the template got a new version',
    rules: ['templates.run.4'],
    run: async (kit) =>
      await withName(kit, async (name) => {
        await save(kit, name, 5)
        const headers = { 'idempotency-key': randomBytes(8).toString('hex') }
        const body = { source: await kit.image(), template: name }
        const request = await kit.settled(await kit.start('images/process', body, { headers }))
        await save(kit, name, 6)
        const again = await kit.call('POST', '/v1/images/process', { body, headers })
        equal([again.status, again.body], [200, request], 'the retry')
      }),
  },
  {
    title: 'a form can run a template, and a variable of the template can refer to a file of the form',
    rules: ['templates.run.5'],
    run: async (kit) =>
      await withName(kit, async (name) => {
        const operations = [{ type: 'watermark', image_url: { variable: 'logo' }, x: 0, y: 0 }]
        const variables = { logo: { type: 'string', default: await kit.image() } }
        equal((await kit.call('POST', PATH, { body: { name, operations, variables } })).status, 201, 'a template')
        const form = new FormData()
        form.append('template', name)
        form.append('variables', JSON.stringify({ logo: 'part:logo' }))
        for (const part of ['source', 'logo']) {
          form.append(part, new Blob([new Uint8Array(encodePng(quarters()))], { type: 'image/png' }), 'image.png')
        }
        const encoded = new Response(form)
        const { status, body } = await kit.call('POST', '/v1/images/process', {
          body: Buffer.from(await encoded.arrayBuffer()),
          headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
        })
        equal(status, 202, 'the form')
        const { status: end, input } = await kit.settled(body)
        equal([end, input.template], ['succeeded', `${name}@1`], 'the request of the form')
      }),
  },
  {
    title:
      'a request runs the newest or the given version of a template with its variables, and errors name the variable',
    rules: ['templates.run.1', 'templates.run.2', 'templates.run.3'],
    run: async (kit) =>
      await withName(kit, async (name) => {
        await save(kit, name, 5)
        await save(kit, name, 6)
        const source = await kit.image()
        const run = async (body: object) => {
          const { input, result } = await kit.succeed('images/process', { source, ...body })
          return [input.template, input.operations[0].width, result.data.width, result.data.height]
        }
        equal(await run({ template: name }), [`${name}@2`, 5, 5, 6], 'the newest version with its default')
        const pinned = { template: `${name}@1`, variables: { width: 7 } }
        equal(await run(pinned), [`${name}@1`, 7, 7, 5], 'a version with a variable')
        await kit.invalid(
          'images/process',
          { source, ...pinned, variables: { width: 10 } },
          'variables.width',
          'out_of_range',
        )
        await kit.invalid('images/process', { source, ...pinned, output: {} }, 'output', 'invalid_value')
        const unknown = kit.call('POST', '/v1/images/process', { body: { source, template: `${name}@3` } })
        await kit.rejects(unknown, 422, 'template_not_found', 'template')
      }),
  },
])
