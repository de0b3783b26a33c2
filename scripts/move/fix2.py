import re,json
exec(open('scripts/move/fix1.py').read().split("sub('packages")[0])
m=json.load(open('scripts/move/map.json'))['files']
# seeded faults name full paths
p='packages/conformance/test/seeded-faults.ts'; s=open(p).read()
s=re.sub(r"(\n\s+)'((?:[\w-]+/)+[\w-]+\.ts)',",lambda k: k.group(1)+"'"+m.get('src/'+k.group(2),k.group(2))+"',",s)
s=s.replace("  path: `src/${path}`,","  path,")
open(p,'w').write(s)
sub('lab/chaos/release.ts',
("(await readdir(join(ROOT, 'migrations')))","(await readdir(join(ROOT, 'packages/server/migrations')))"),
("""  const list = join(folder, 'packages/contract/src/operations/index.ts')
""","""  const paths = existsSync(join(folder, 'src/main.ts')) ? PATHS_BEFORE_PACKAGES : PATHS
  const list = join(folder, paths.operations)
"""),
("join(folder, 'packages/server/src/http/server.ts')","join(folder, paths.server)"),
("join(folder, 'lab/support/contract.ts')","join(folder, paths.contract)"),
("join(folder, 'packages/server/src/main.ts')","join(folder, paths.main)"),
("`${join(folder, 'migrations')}/`","`${join(folder, paths.migrations)}/`"),
("import { mkdir, readdir","import { existsSync } from 'node:fs'\nimport { mkdir, readdir"),
("""/** What is taken out of""","""const PATHS = {
  main: 'packages/server/src/main.ts',
  server: 'packages/server/src/http/server.ts',
  migrations: 'packages/server/migrations',
  operations: 'packages/contract/src/operations/index.ts',
  contract: 'lab/support/contract.ts',
}

/** Where releases before the move into packages have the same files. */
const PATHS_BEFORE_PACKAGES: typeof PATHS = {
  main: 'src/main.ts',
  server: 'src/http/server.ts',
  migrations: 'migrations',
  operations: 'src/operations/index.ts',
  contract: 'test/support/contract.ts',
}

/** What is taken out of"""))
sub('scripts/write-release.ts',
("""const files = git('ls-tree', '--name-only', commit, 'migrations/')
  .split('\\n')
  .filter((path) => path.endsWith('.sql'))
""","""const files = git('ls-tree', '--name-only', commit, 'packages/server/migrations/', 'migrations/')
  .split('\\n')
  .filter((path) => path.endsWith('.sql'))
"""),("path.replace('migrations/', '')","basename(path)"),("import { join } from 'node:path'","import { basename, join } from 'node:path'"))
# compile
sub('scripts/compile.ts',
("for await (const name of glob('**/*.{jpg,png,gif,heic,mp4,pdf,json}', { cwd: join(root, 'src') })) {\n  await cp(join(root, 'src', name), join(dist, name))\n}",
"""for await (const name of glob('*/src/**/*.{jpg,png,gif,heic,mp4,pdf,json}', { cwd: join(root, 'packages') })) {
  await cp(join(root, 'packages', name), join(dist, name))
}
await cp(join(root, 'packages/server/migrations'), join(dist, 'server/migrations'), { recursive: true })"""),
("""for await (const name of glob('**/*.js', { cwd: dist })) {
""","""await linkPackages(dist)
for await (const name of glob('**/*.js', { cwd: dist })) {
"""),
("import { buildConsole } from './build-console.ts'\n","import { buildConsole } from './build-console.ts'\nimport { linkPackages } from './link-packages.ts'\n"),
("await copyFile(join(root, 'package-lock.json'), join(root, 'npm-shrinkwrap.json'))","""// The workspaces are compiled into `dist`: an installed package has no links to them.
const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { workspaces?: unknown; link?: boolean }>
}
delete lock.packages['']?.workspaces
for (const [path, { link }] of Object.entries(lock.packages))
  if (link === true || /^(?:packages|lab)(?:\\/|$)/.test(path)) delete lock.packages[path]
await writeFile(join(root, 'npm-shrinkwrap.json'), `${JSON.stringify(lock, undefined, 2)}\\n`)"""),
("import { copyFile, cp, glob","import { cp, glob"))
open('scripts/link-packages.ts','w').write("""import { glob, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

const IMPORT = /(?<=(?:from |import |import\\(|import\\.meta\\.resolve\\())'@mediamill\\/([\\w-]+)\\/([^'\\n]+)'/g

/** Makes the imports between packages relative in `dist`, which holds the compiled `packages`: `dist/contract/src/…`. */
export async function linkPackages(dist: string): Promise<void> {
  for await (const name of glob('**/*.js', { cwd: dist })) {
    const path = join(dist, name)
    const text = await readFile(path, 'utf8')
    const linked = text.replaceAll(IMPORT, (_match, to: string, file: string) => {
      const target = relative(dirname(path), join(dist, to, 'src', `${file.replace(/^src\\//, '')}.js`)).replaceAll('\\\\', '/')
      return `'${target.startsWith('.') ? target : `./${target}`}'`
    })
    if (linked !== text) await writeFile(path, linked)
  }
}
""")
sub('scripts/build-cli.ts',
("import { dirname, join, relative } from 'node:path'\n","import { dirname, join, relative } from 'node:path'\nimport { linkPackages } from './link-packages.ts'\n"),
("  const loaded = new Set<string>()\n","  await linkPackages(build)\n  const loaded = new Set<string>()\n"),
("join(build, 'commands/client/main.js')","join(build, 'cli/src/main.js')"),
("const catalog = 'commands/client/operations/catalog.json'","const catalog = 'cli/src/operations/catalog.json'"),
("join(root, 'src', catalog)","join(root, 'packages', catalog)"))
sub('packages/cli/tsconfig.json',('"rootDir": "../../src"','"rootDir": ".."'))
sub('packages/cli/bin/mediamill.js',('../dist/commands/client/main.js','../dist/cli/src/main.js'))
sub('bin/mediamill',('main=$here/../src/main.ts','main=$here/../packages/server/src/main.ts'),('main=$here/../dist/main.js','main=$here/../dist/server/src/main.js'))
sub('Dockerfile',('COPY package.json package-lock.json ./\n','COPY package.json package-lock.json ./\nCOPY packages/cli/package.json packages/cli/\nCOPY packages/conformance/package.json packages/conformance/\nCOPY packages/contract/package.json packages/contract/\nCOPY packages/engines/package.json packages/engines/\nCOPY packages/media/package.json packages/media/\nCOPY packages/sdk/package.json packages/sdk/\nCOPY packages/server/package.json packages/server/\n'),('COPY --from=build /mediamill/migrations migrations\n',''))
sub('.dockerignore',('!packages/sdk/*.md\n','!packages\n'),('!migrations\n',''),('!src\n',''),('!scripts/compile.ts\n','!scripts/compile.ts\n!scripts/link-packages.ts\n'),('**/*.test.ts\n','**/*.test.ts\npackages/*/test\n'))
sub('package.json',('    "migrations",\n',''))
sub('scripts/try-package.sh',('test ! -e node_modules/mediamill/src','test ! -e node_modules/mediamill/packages/server'))
