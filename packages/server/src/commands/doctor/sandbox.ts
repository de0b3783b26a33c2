import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { engineEntries } from '../../app/engines.ts'
import { findTool } from '../../supervisor/isolation/command.ts'
import type { IsolationSetting } from '../../supervisor/isolation/isolation.ts'
import { chooseIsolation, IsolationError } from '../../supervisor/isolation/isolation.ts'
import { openScratch } from '../../supervisor/scratch.ts'
import type { Finding } from './finding.ts'
import { fault, good, warning } from './finding.ts'

export async function checkSandbox(setting: IsolationSetting): Promise<Finding> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-doctor-')).catch(() => undefined)
  if (folder === undefined) {
    const remedy = 'Let this user write there, or set TMPDIR to a writable folder.'
    return fault('sandbox', `engines cannot be tested: ${tmpdir()} is not writable`, remedy)
  }
  try {
    await using scratch = await openScratch(folder)
    const entries = engineEntries()
    const log = pino({ level: 'silent' })
    const { tier, description } = await chooseIsolation({ setting, scratch, entries, log })
    const message = `engines run inside ${description}, and a test program reached nothing outside`
    if (tier !== 'process') return good('sandbox', message)
    const reason = setting === 'process' ? 'ISOLATION=process is set; ' : ''
    return warning(
      'sandbox',
      `engines run as plain processes: a hostile file that takes over an engine can read this user's files`,
      `${reason}${sandboxFix()}; for containers, see docs/operate/hardening.md.`,
    )
  } catch (error) {
    if (!(error instanceof IsolationError)) throw error
    return fault('sandbox', error.message, 'Without engines, nothing is processed. See docs/operate/hardening.md.')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const sandboxFix = () =>
  findTool('bwrap') === undefined
    ? 'install bubblewrap (apt-get install bubblewrap) and allow user namespaces, or use a kernel with Landlock'
    : 'bubblewrap is installed: allow user namespaces, or use a kernel with Landlock'
