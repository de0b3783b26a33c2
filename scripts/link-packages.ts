import { glob, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

const IMPORT = /(?<=(?:from |import |import\(|import\.meta\.resolve\())'@mediamill\/([\w-]+)\/([^'\n]+)'/g

/** Makes imports between packages relative in `dist`, where a package's path is, for example, `dist/contract/src/…`. */
export async function linkPackages(dist: string): Promise<void> {
  for await (const name of glob('**/*.js', { cwd: dist })) {
    const path = join(dist, name)
    const text = await readFile(path, 'utf8')
    const linked = text.replaceAll(IMPORT, (_match, to: string, file: string) => {
      const target = relative(dirname(path), join(dist, to, 'src', `${file.replace(/^src\//, '')}.js`)).replaceAll(
        '\\',
        '/',
      )
      return `'${target.startsWith('.') ? target : `./${target}`}'`
    })
    if (linked !== text) await writeFile(path, linked)
  }
}
