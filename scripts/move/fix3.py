exec(open('scripts/move/fix1.py').read().split("sub('packages")[0])
import json
p='packages/cli/package.json'; o=json.load(open(p)); o.pop('bin',None)
o['scripts']={'prepack':'../../node_modules/.bin/node ../../scripts/build-cli.ts','postpack':'../../node_modules/.bin/node ../../scripts/build-cli.ts --clean'}
open(p,'w').write(json.dumps(o,indent=2)+'\n')
sub('scripts/build-cli.ts',
("""for (const folder of [build, dist]) await rm(folder, { recursive: true, force: true })
try {""","""for (const folder of [build, dist]) await rm(folder, { recursive: true, force: true })
await nameProgram(process.argv.includes('--clean') ? undefined : { mediamill: 'bin/mediamill.js' })
if (process.argv.includes('--clean')) {
  await rm(join(home, 'LICENSE'), { force: true })
  process.exit(0)
}
try {"""),
("async function follow(","""/**
 * Names the program in package.json, or takes the name out again after packing. npm links the programs of all
 * workspaces, and in a checkout `npx mediamill` must run the service's program.
 */
async function nameProgram(bin: { mediamill: string } | undefined): Promise<void> {
  const path = join(home, 'package.json')
  const { bin: _, ...manifest } = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
  await writeFile(path, `${JSON.stringify({ ...manifest, ...(bin && { bin }) }, undefined, 2)}\\n`)
}

async function follow("""),
("import { copyFile, mkdir, readFile, rm } from","import { copyFile, mkdir, readFile, rm, writeFile } from"))
sub('Dockerfile',('COPY packages/cli/package.json packages/cli/\n','COPY lab/package.json lab/\nCOPY packages/cli/package.json packages/cli/\n'))
sub('.dockerignore',('!packages\n','!packages\n!lab/package.json\n'))
open('packages/cli/tsconfig.json','w').write("""{
  "extends": "../../tsconfig.json",
  "compilerOptions": {
    "noEmit": false,
    "rewriteRelativeImportExtensions": true,
    "rootDir": "..",
    "outDir": "build"
  },
  "include": ["src", "../sdk/src", "../contract/src", "../media/src", "../conformance/src"],
  "exclude": ["../*/src/**/*.test.ts"]
}
""")
