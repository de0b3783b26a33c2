import { execFile, spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { sampleFile } from '@mediamill/server/outbound/fetch/samples'

const execute = promisify(execFile)

/** Writes programs into a folder. `programs` contains a shell command for each program name. */
async function writePrograms(bin: string, programs: Record<string, string>): Promise<void> {
  await mkdir(bin, { recursive: true })
  for (const [name, line] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${line}\n`)
    await chmod(join(bin, name), 0o755)
  }
}

/** Files in the working folder, each with the sample that it is a copy of. */
const OWN_FILES = [
  ['photo.jpg', 'photo.jpg'],
  ['Pictures/photo.jpg', 'photo.jpg'],
  ['logo.png', 'logo.png'],
  ['offer.pdf', 'report.pdf'],
  ['in/a.jpg', 'scan.jpg'],
] as const

/** The environment of the shell: the `mediamill` command, other commands, variables, and the input. */
export type ShellOptions = {
  mediamill: string
  programs?: Record<string, string>
  env?: Record<string, string>
  input?: string
}

/** The working folder of a shell, and its output. */
export type ShellResult = { work: string; stdout: string }

/** Runs text in a shell with its own working folder and home. The first failing command ends it. */
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
    env: { PATH, HOME: work, TMPDIR: tmpdir(), ...env },
  })
  // Ignore errors on stdin. A script that ends without reading its input closes the pipe, and only its exit code matters.
  running.child.stdin?.on('error', () => undefined).end(input ?? '')
  const { stdout } = await running
  return { work, stdout }
}
