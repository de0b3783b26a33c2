import re
def sub(p,*rs):
    s=open(p).read()
    for a,b in rs:
        if a not in s: print('MISSING',p,a[:60]); continue
        s=s.replace(a,b)
    open(p,'w').write(s)
sub('packages/server/src/supervisor/isolation/command.ts',("""/** `src`, or `dist` in the package. */
const CODE = join(import.meta.dirname, '../..')""","""/** `packages`, or `dist` in the published package. */
const CODE = join(import.meta.dirname, '../../../..')"""))
sub('lab/support/titles.ts',("""/** Reads the title of every test below `src` and `test`. */""","""/** Reads the title of every test of the packages and the lab. */"""),("globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root })","globSync(['packages/*/{src,test}/**/*.test.ts', 'lab/**/*.test.ts'], { cwd: root, exclude: ['**/node_modules/**'] })"))
sub('packages/server/test/docs.test.ts',("globSync(['src/**/*.ts', 'migrations/*.sql'], { cwd: root })","globSync(['packages/*/src/**/*.ts', 'packages/server/migrations/*.sql'], { cwd: root })"),("globSync('src/**/*.ts', { cwd: root })","globSync('packages/*/src/**/*.ts', { cwd: root })"))
sub('packages/server/test/installation.test.ts',("globSync('src/**/*.ts', { cwd: root","globSync('packages/*/src/**/*.ts', { cwd: root"),("'src/{supervisor,app,engines,worker}/**/*.ts'","'packages/{server/src/{supervisor,app,worker},engines/src}/**/*.ts'"))
sub('packages/server/test/native-libraries.test.ts',("'src/{operations,endpoints}/index.ts'","'packages/contract/src/{operations,endpoints}/index.ts'"),("join('src', 'operations', 'index.ts')","join('packages', 'contract', 'src', 'operations', 'index.ts')"))
sub('lab/walls/all-walls.ts',("globSync(['src/**/*.ts', 'migrations/*.sql'], { cwd: root })","globSync(['packages/*/src/**/*.ts', 'packages/server/migrations/*.sql'], { cwd: root })"))
sub('lab/mutants.ts',("const FOLDERS = ['requests', 'db', 'worker', 'outbound', 'webhooks', 'http', 'media/plan', 'operations']","""const FOLDERS = [
  ...['requests', 'uploads', 'db', 'worker', 'outbound', 'webhooks', 'http'].map((name) => `packages/server/src/${name}/`),
  'packages/media/src/plan/',
  'packages/contract/src/operations/',
]"""),("path.startsWith(`src/${folder}/`)","path.startsWith(folder)"),("globSync('{src,test}/**/*.ts', { cwd: root })","globSync(['packages/*/{src,test}/**/*.ts', 'lab/**/*.ts'], { cwd: root, exclude: ['**/node_modules/**'] })"),("globSync(['src/**/*.test.ts'], { cwd: root })","globSync(['packages/*/src/**/*.test.ts'], { cwd: root })"))
sub('lab/mutants/reaching-tests.ts',("(path.startsWith('src/') || /^test\\/[\\w-]+\\.test\\.ts$/.test(path))","/^packages\\/[\\w-]+\\/(?:src\\/.*|test\\/[\\w-]+)\\.test\\.ts$/.test(path)"),("what a part of `src/` promises","what a part of the packages promises"))
p='lab/mutants/mutants.test.ts'; s=open(p).read()
s=s.replace("'src/a/","'packages/x/src/a/").replace("'src/b/","'packages/x/src/b/").replace("'src/c/","'packages/x/src/c/").replace("'src/a.ts'","'packages/x/src/a.ts'").replace("{ path: 'test/journeys/all.test.ts'","{ path: 'packages/x/test/journeys/all.test.ts'").replace("globSync('src/**/*.ts', { cwd: root })","globSync('packages/*/src/**/*.ts', { cwd: root })").replace("globSync('test/journeys/**/*.test.ts'","globSync('packages/server/test/journeys/**/*.test.ts'")
s=s.replace("'../support/","'../support/")
open(p,'w').write(s)
s=open('packages/conformance/test/seeded-faults.ts').read()
print(sorted(set(re.findall(r"^\s+'((?:[\w-]+/)+[\w-]+\.ts)',",s,re.M)))[:80])
sub('lab/support/project-copy.ts',("  await symlink(join(root, 'node_modules'), join(path, 'node_modules'))\n","""  await linkModules(join(root, 'node_modules'), join(path, 'node_modules'))
"""),("import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'","import { copyFile, cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'"))
s=open('lab/support/project-copy.ts').read()
s+="""
/** Links every installed package; the workspaces' own links are copied, so that they lead into the copy. */
async function linkModules(from: string, to: string): Promise<void> {
  await mkdir(to)
  for (const name of await readdir(from)) {
    if (name === '@mediamill') await cp(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true })
    else await symlink(join(from, name), join(to, name))
  }
}
"""
open('lab/support/project-copy.ts','w').write(s)
