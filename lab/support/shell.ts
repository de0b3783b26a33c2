import { execFile, spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { COMPILE_CACHE } from '@mediamill/server/app/postgres/paths'
import { sampleFile } from '@mediamill/server/outbound/fetch/samples'

const execute = promisify(execFile)

async function writePrograms(bin: string, programs: Record<string, string>): Promise<void> {
  await mkdir(bin, { recursive: true })
  for (const [name, line] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${line}\n`)
    await chmod(join(bin, name), 0o755)
  }
}

/** Names of files in the shell's working folder. Each file is a copy of a sample. */
const OWN_FILES = [
  ['photo.jpg', 'photo.jpg'],
  ['Pictures/photo.jpg', 'photo.jpg'],
  ['logo.png', 'logo.png'],
  ['offer.pdf', 'report.pdf'],
  ['in/a.jpg', 'scan.jpg'],
] as const

export type ShellOptions = {
  mediamill: string
  programs?: Record<string, string>
  env?: Record<string, string>
  input?: string
}

type ShellResult = { work: string; stdout: string }

/** Runs a script in a new working folder and home. The script ends at the first command that fails. */
export async function runShell(
  folder: string,
  name: string,
  code: string,
  options: ShellOptions,
): Promise<ShellResult> {
  const { mediamill, programs = {}, env = {}, input } = options
  const work = join(folder, name)
  const bin = `${work}-bin`
  await mkdir(join(work, 'in'), { recursive: true })
  await mkdir(join(work, 'Pictures'))
  for (const [own, sample] of OWN_FILES) await copyFile(sampleFile(sample), join(work, own))
  const curl = spawnSync('sh', ['-c', 'command -v curl'], { encoding: 'utf8' }).stdout.trim()
  await writePrograms(bin, {
    curl: `exec ${curl} --fail-with-body "$@"`,
    mediamill,
    npx: 'shift\nexec mediamill "$@"',
    ...programs,
  })
  const PATH = [bin, dirname(process.execPath), process.env['PATH']].join(delimiter)
  const running = execute('bash', ['-eu', '-o', 'pipefail', '-c', code], {
    cwd: work,
    env: { PATH, HOME: work, TMPDIR: tmpdir(), NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
  })
  // If a script ends without reading its input, the pipe breaks. Only the exit code matters.
  running.child.stdin?.on('error', () => undefined).end(input ?? '')
  const { stdout } = await running
  return { work, stdout }
}
