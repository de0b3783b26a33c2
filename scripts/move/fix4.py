exec(open('scripts/move/fix1.py').read().split("sub('packages")[0])
import re
sub('lab/support/import-graph.ts',
("""      const isFile = specifier.startsWith('.') || (match[0].startsWith('new') && !/^\\w+:/.test(specifier))
""","""      const isFile = specifier.startsWith('.') || (match[0].startsWith('new') && !/^\\w+:/.test(specifier))
      const linked = linkedFile(specifier)
"""),
("        target: isFile ? posix.join(posix.dirname(path), specifier) : undefined,","        target: isFile ? posix.join(posix.dirname(path), specifier) : linked,"),
("""/** The npm package or Node module""","""/** The file that an import by the name of one of our packages loads, by the `exports` of that package. */
function linkedFile(specifier: string): string | undefined {
  const [, name = '', path = ''] = /^@mediamill\\/([\\w-]+)\\/(.+)$/.exec(specifier) ?? []
  if (name === '') return undefined
  if (name === 'lab') return `lab/${path}.ts`
  return `packages/${name}/src/${path.replace(/^src\\//, '')}.ts`
}

/** The npm package or Node module"""))
sub('lab/support/architecture-rules.ts',
("""/** `src/runtime/config/config.ts` is of `config`; `src/engines/image/open.ts` of `engines/image` where that has a row, else of `engines`. */
function folderOf(path: string, { imports }: ArchitectureTables): string {
  const parts = path.replace(/\\.ts$/, '').split('/').slice(1)
""","""/** `packages/server/src/http/query.ts` is `http/query`; the files of other packages begin with the package's name. */
export const placeOf = (path: string) =>
  path
    .replace(/\\.ts$/, '')
    .replace(/^packages\\/server\\/src\\//, '')
    .replace(/^packages\\/([\\w-]+)\\/src\\//, '$1/')

/** The folder of the tables that a file belongs to: `engines/image` if that has a row, else `engines`. */
function folderOf(path: string, { imports }: ArchitectureTables): string {
  const parts = placeOf(path).split('/')
"""),
("if (!target.startsWith('src/')) {","if (!/^packages\\/[\\w-]+\\/src\\//.test(target)) {"),
("'what ships imports nothing from outside src/'","'what ships imports nothing from outside packages/'"),
("path === `src/${folder}/index.ts`","path === `packages/contract/src/${folder}/index.ts`"),
("path.startsWith(`src/${folder}/`)","path.startsWith(`packages/contract/src/${folder}/`)"),
("`import it in src/${folder}/index.ts`","`import it in packages/contract/src/${folder}/index.ts`"))
sub('lab/support/file-rules.ts',
("['src/operations/index.ts', 'src/endpoints/index.ts', 'src/client/index.ts']","[\n  'packages/contract/src/operations/index.ts',\n  'packages/contract/src/endpoints/index.ts',\n  'packages/sdk/src/index.ts',\n]"),
("'src/client/api-types.ts'","'packages/sdk/src/api-types.ts'"),
("['src/runtime/config/config.ts', 'src/client/environment.ts']","['packages/server/src/config/config.ts', 'packages/sdk/src/environment.ts']"),
("'only src/runtime/config/config.ts does: take the setting as an argument'","'only packages/server/src/config/config.ts does: take the setting as an argument'"),
("SQL stands in src/db, one exported function a statement","SQL stands in packages/server/src/db, one exported function a statement"),
("path.startsWith('src/db/')","path.startsWith('packages/server/src/db/')"),
("path !== 'src/runtime/config/config.ts'","path !== 'packages/server/src/config/config.ts'"),
("only src/runtime/config/config.ts reads its env","only packages/server/src/config/config.ts reads its env"))
sub('lab/support/stale-rows.ts',
("import type { ArchitectureTables","import { placeOf } from './architecture-rules.ts'\nimport type { ArchitectureTables"),
("paths.filter((path) => path === `src/${folder}.ts` || path.startsWith(`src/${folder}/`))","paths.filter((path) => placeOf(path) === folder || placeOf(path).startsWith(`${folder}/`))"))
s=open('lab/support/stale-rows.ts').read()
s=re.sub(r"/\*\* The folders and files of `src/` that the drawing.*?\n}\n\n","",s,flags=re.S)
open('lab/support/stale-rows.ts','w').write(s)
p='lab/architecture.test.ts'; s=open(p).read()
s=s.replace("join(import.meta.dirname, '..')","join(import.meta.dirname, '..')").replace("globSync('src/**/*.ts', { cwd: root })","globSync('packages/*/src/**/*.ts', { cwd: root })").replace('every file of src/ keeps','every source file keeps').replace('`src/ was not found from ${root}`','`the packages were not found from ${root}`')
s=s.replace(", staleRowsOf } from","@@").replace("import { staleBranchesOf@@","import { staleRowsOf } from")
s=s.replace('test(\'every row and branch of docs/architecture.md is of something that is there\'',"test('every row of docs/architecture.md names something that exists'")
s=s.replace("  assert.deepEqual(staleBranchesOf(page, paths), [])\n","").replace("  assert.deepEqual(staleBranchesOf(page, without('src/accounts/')), ['accounts/'])\n","")
# made-up paths
M=[('domain','packages/contract/src/domain'),('operations','packages/contract/src/operations'),('endpoints','packages/contract/src/endpoints'),('media/plan','packages/media/src/plan'),('media/drawing/steps','packages/media/src/steps'),('engines','packages/engines/src'),('runtime/config','packages/server/src/config'),('client','packages/sdk/src')]
for a,b in M: s=s.replace('src/'+a+'/',b+'/')
s=re.sub(r"(?<![\w/])src/(?=[a-z$\\])",'packages/server/src/',s)
s=re.sub(r"src\\/(db|worker|media|store|outbound|engines|endpoints)(?=[\\/])",lambda m:{'media':r'packages\/media\/src','engines':r'packages\/engines\/src','endpoints':r'packages\/contract\/src\/endpoints'}.get(m[1],r'packages\/server\/src\/'+m[1]),s)
open(p,'w').write(s)
