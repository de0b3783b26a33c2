import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import type { NewTemplate, Template } from '@mediamill/sdk/src/api-types'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { reasonOf } from '../batch/reason.ts'
import { fileErrorReason } from '../file-error.ts'
import type { ServiceOptions } from '../remote/connect.ts'
import { addServiceOptions, connect } from '../remote/connect.ts'
import { templateNamed } from '../remote/template-named.ts'
import { describeTable, print, quiet, strong, visible } from '../terminal/output.ts'
import { UsageError } from '../usage-error.ts'

type Options = ServiceOptions & { json?: true }

export function register(program: Command): void {
  const templates = program.command('templates').description('Create, list, show, and delete templates.')
  registerCreate(templates)
  registerList(templates)
  registerShow(templates)
  registerDelete(templates)
}

function finish<Args extends unknown[]>(
  command: Command,
  example: string,
  run: (...args: Args) => Promise<void>,
): void {
  addServiceOptions(command)
  command
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  mediamill templates ${example}`)
    .action(run as (...args: unknown[]) => Promise<void>)
}

function registerCreate(templates: Command): void {
  const command = templates
    .command('create')
    .description('Store a template, or its next version, from a JSON file.')
    .argument('<file>', 'JSON file with name, operations, and variables; - for stdin')
  finish(command, 'create product.json', async (file: string, options: Options) => {
    const template = await readTemplate(file)
    const { service } = await connect(options)
    const made = await service.templates.create(template)
    print(options.json, made, () => `Template ${strong(made.id)} is stored.`)
  })
}

async function readTemplate(file: string): Promise<NewTemplate> {
  const text = file === '-' ? await readText(process.stdin) : await readFile(file, 'utf8').catch(unreadable(file))
  try {
    return JSON.parse(text) as NewTemplate
  } catch (cause) {
    throw new UsageError(`${visible(file)} is not JSON (${reasonOf(cause)}).`, { cause })
  }
}

const unreadable = (file: string) => (cause: unknown) => {
  throw new UsageError(`${visible(file)} cannot be read (${fileErrorReason(cause) ?? reasonOf(cause)}).`, { cause })
}

function registerList(templates: Command): void {
  const command = templates.command('list').description('List the newest version of each template.')
  finish(command, 'list', async (options: Options) => {
    const { service } = await connect(options)
    const found: Template[] = []
    for await (const template of service.templates.list({ limit: 100 })) found.push(template)
    print(options.json, found, () =>
      found.length === 0
        ? quiet('No templates.')
        : describeTable(
            ['TEMPLATE', 'ENDPOINT', 'VARIABLES', 'CREATED'],
            found.map(({ id, endpoint, variables, created_at }) => [
              id,
              endpoint,
              Object.keys(variables).join(', '),
              created_at,
            ]),
          ),
    )
  })
}

function registerShow(templates: Command): void {
  const command = templates
    .command('show')
    .description('Print a template as JSON: the newest version, or a version such as product@3.')
    .argument('<name>', 'name of the template', nameArgument)
  finish(command, 'show product@3', async (name: string, options: Options) => {
    const { service } = await connect(options)
    const template = await templateNamed(name, service.templates.retrieve(name))
    print(options.json, template, () => JSON.stringify(template, null, 2))
  })
}

function registerDelete(templates: Command): void {
  const command = templates
    .command('delete')
    .description('Delete every version of a template.')
    .argument('<name>', 'name of the template', nameArgument)
  finish(command, 'delete product', async (name: string, options: Options) => {
    const { service } = await connect(options)
    const deleted = await templateNamed(name, service.templates.delete(name))
    print(options.json, deleted, () => `Template ${strong(deleted.name)} is deleted.`)
  })
}

function nameArgument(text: string): string {
  if (/^[a-z0-9_-]+(?:@\d+)?$/.test(text)) return text
  throw new InvalidArgumentError('It must be the name of a template, such as product or product@3.')
}
