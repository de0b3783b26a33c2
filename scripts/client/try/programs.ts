import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, transform } from 'esbuild'
import type { SuiteSettings } from '../../../packages/sdk/test/suite.ts'
import { firstBlock, readmeProgram } from '../readme-program.ts'

const root = join(import.meta.dirname, '../../..')

const ENDS = {
  console: 'console.log(JSON.stringify(await run()))',
  workerd: 'export default { fetch: async () => Response.json(await run()) }',
  page: "await fetch('/verdicts', { method: 'POST', body: JSON.stringify(await run()) })",
}

/** Writes a program that runs the suite. The `console` program imports the installed library; the others bundle it. */
export async function writeSuite(app: string, end: keyof typeof ENDS, settings: SuiteSettings): Promise<string> {
  const path = join(app, `suite-${end}.mjs`)
  const contents = `
    import * as sdk from '@mediamill/sdk'
    import * as webhooks from '@mediamill/sdk/webhooks'
    import { runSuite } from ${JSON.stringify(join(root, 'packages/sdk/test/suite.ts'))}
    const run = async () => await runSuite({ sdk, webhooks, settings: ${JSON.stringify(settings)} })
    ${ENDS[end]}`
  await build({
    stdin: { contents, resolveDir: app },
    outfile: path,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
    external: end === 'console' ? ['@mediamill/sdk'] : [],
  })
  return path
}

/** Matches the declaration in a README block that later blocks use. */
const SHARED = /^const mediamill = /m

export async function writeReadmePrograms(app: string): Promise<string[]> {
  const readme = await readFile(join(root, 'packages/sdk/README.md'), 'utf8')
  const [start, all] = [join(app, 'start.mjs'), join(app, 'readme.mjs')]
  const program = readmeProgram(readme, SHARED)
  await writeFile(start, firstBlock(readme))
  await writeFile(join(app, 'readme.ts'), program)
  await writeFile(all, (await transform(program, { loader: 'ts' })).code)
  return [start, all]
}

export async function writeCommonJs(app: string): Promise<string> {
  const path = join(app, 'required.cjs')
  const program = `
    const { Mediamill, isMediamillError } = require('@mediamill/sdk')
    const { unwrap, SignatureError } = require('@mediamill/sdk/webhooks')
    const main = async () => {
      const account = await new Mediamill().account.retrieve()
      if (account.object !== 'account') throw new Error('no account')
      const error = await unwrap('{}', {}, 'whsec_AAAA').then(() => undefined, (thrown) => thrown)
      if (!(error instanceof SignatureError) || !isMediamillError(error)) throw new Error('no SignatureError')
    }
    main().catch((error) => { console.error(error); process.exit(1) })`
  await writeFile(path, program)
  return path
}
