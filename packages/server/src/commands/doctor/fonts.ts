import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { codeOf } from '../../lib/error-code.ts'
import type { Finding } from './finding.ts'
import { good, warning } from './finding.ts'

const require = createRequire(import.meta.url)

const PACKAGE = new URL('../../../../../package.json', import.meta.url)

export async function checkFonts(isInstalled: (name: string) => boolean = isThere): Promise<Finding> {
  const { dependencies } = JSON.parse(await readFile(PACKAGE, 'utf8')) as { dependencies: Record<string, string> }
  const fonts = Object.keys(dependencies).filter((name) => name.includes('font'))
  const missing = fonts.filter((name) => !isInstalled(name))
  if (missing.length === 0) return good('fonts', `all ${fonts.length} font packages are installed`)
  const remedy = `Run npm ci again, or npm install ${missing.join(' ')}.`
  return warning(
    'fonts',
    `text watermarks and PDFs without embedded fonts will miss characters: ${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} not installed`,
    remedy,
  )
}

function isThere(name: string): boolean {
  try {
    require.resolve(`${name}/package.json`)
    return true
  } catch (error) {
    // The package is installed, but does not export its package.json.
    return codeOf(error) === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
  }
}
