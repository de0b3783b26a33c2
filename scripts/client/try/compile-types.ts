import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runProgram } from './run-program.ts'
import type { Workshop } from './workshop.ts'

const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2022',
}

const SURROUNDINGS = {
  node: { lib: ['es2022'], types: ['node'], module: 'nodenext', moduleResolution: 'nodenext' },
  dom: { lib: ['es2022', 'dom', 'dom.iterable'], types: [], module: 'esnext', moduleResolution: 'bundler' },
}

/** Compiles the README, and a use of every type, in strict mode. Returns the TypeScript versions. */
export async function compileTypes({ tool, app }: Workshop, uses: string): Promise<string[]> {
  const compilers = {
    '5.4': tool('typescript54/bin/tsc'),
    '5.9': tool('typescript59/bin/tsc'),
    '6.0': tool('typescript60/bin/tsc'),
    '7.0': join(import.meta.dirname, '../../../node_modules/.bin/tsc'),
  }
  await mkdir(join(app, 'types'), { recursive: true })
  await writeFile(join(app, 'types/uses.ts'), uses)
  const done: string[] = []
  for (const [surroundings, options] of Object.entries(SURROUNDINGS)) {
    const config = join(app, `tsconfig.${surroundings}.json`)
    const compilerOptions = { ...STRICT, ...options, typeRoots: [tool('@types')] }
    // The README's program reads environment variables, so it requires Node.js.
    const files = surroundings === 'node' ? ['readme.ts', 'types/uses.ts'] : ['types/uses.ts']
    await writeFile(config, JSON.stringify({ compilerOptions, files }))
    for (const [version, compiler] of Object.entries(compilers)) {
      await runProgram(compiler, ['-p', config], { cwd: app })
      done.push(`TypeScript ${version} (${surroundings})`)
    }
  }
  return done
}
