import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const MAIN = join(import.meta.dirname, '../main.ts')
const folder = await mkdtemp(join(tmpdir(), 'mediamill-completion-'))
after(() => rm(folder, { recursive: true }))
for (const name of ['photo.jpg', 'two words', '8x8.jpg']) await writeFile(join(folder, name), '')

async function scriptFor(shell: string): Promise<string> {
  const { stdout } = await run(process.execPath, [MAIN, 'completion', shell])
  const path = join(folder, `${shell}.script`)
  await writeFile(path, stdout)
  return path
}

const isThere = (shell: string): boolean => {
  try {
    execFileSync(shell, ['-c', 'true'])
    return true
  } catch {
    return false
  }
}

/** What a shell offers behind some words, the last of which is being typed. */
const SHELLS: Record<string, (script: string, words: string[]) => Promise<string[]>> = {
  async bash(script, words) {
    const quoted = words.map((word) => `'${word}'`).join(' ')
    const code = `source '${script}'; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _mediamill; printf '%s\\n' "\${COMPREPLY[@]}"`
    return (await run('bash', ['--norc', '-c', code], { cwd: folder })).stdout.trim().split('\n')
  },
  async zsh(script, words) {
    // A shell in a terminal of its own, as somebody types into it. Signs that its driver would take are left out. With an
    // EDITOR like vi, which npm sets, zsh would take the keys for vi's.
    const code = `
      zmodload zsh/zpty
      zpty shell zsh -f -i
      say() { zpty -w shell "$1" }
      say "bindkey -e; PS1='mill%# '; stty columns 200; autoload -Uz compinit; compinit -u -d '${folder}/dump'; source '${script}'; LISTMAX=1000; unsetopt prompt_sp; print be''gin"
      zpty -r shell line '*begin*mill[#%] *'
      zpty -w -n shell '${words.join(' ')}'$'\\t'
      zpty -w -n shell $'\\C-a\\C-k'
      say "print e''nd"
      zpty -r shell line '*end*'
      print -r -- $line`
    const { stdout } = await run('zsh', ['-f', '-c', code], { cwd: folder, timeout: 60_000, killSignal: 'SIGKILL' })
    return stdout.replaceAll('\u001b', ' ').split(/\s+/)
  },
  async fish(script, words) {
    const code = `source '${script}'; complete -C '${words.join(' ')}'`
    const { stdout } = await run('fish', ['--no-config', '-c', code], {
      cwd: folder,
      env: { ...process.env, HOME: folder },
    })
    return stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[0] ?? '')
  },
}

const OFFERS: readonly [words: string[], offered: string[], not: string[]][] = [
  [['mediamill', 'scr'], ['screenshot'], ['process']],
  [['mediamill', 'process', '--gra'], ['--grayscale'], ['--resize']],
  [['mediamill', 'process', '--resize', '8x8', '--re'], ['--resize', '--remove-background'], ['--at']],
  [['mediamill', 'process', '--media', 'v'], ['video'], ['image']],
  [['mediamill', 'process', '--filter', 'val'], ['valencia'], ['photo.jpg']],
  [['mediamill', 'process', '--format', 'w'], ['webp'], ['8x8.jpg']],
  [['mediamill', 'screenshot', '--format', 'p'], ['png'], ['pdf']],
  [['mediamill', 'process', '--flip', 'h'], ['horizontal'], ['photo.jpg']],
  [['mediamill', 'process', '--resize', '8'], [], ['8x8.jpg']],
  [['mediamill', 'process', '--watermark', 'pho'], ['photo.jpg'], []],
  [['mediamill', 'process', 'pho'], ['photo.jpg'], ['requests']],
  [['mediamill', 'requests', '--status', 'fa'], ['failed'], ['queued']],
  [['mediamill', 'completion', '--he'], ['--help'], ['--url']],
]

for (const [shell, offer] of Object.entries(SHELLS)) {
  test(`${shell} completes verbs, flags, values and files`, {
    skip: !isThere(shell) && `${shell} is not installed`,
  }, async () => {
    const script = await scriptFor(shell)
    for (const [words, offered, not] of OFFERS) {
      const got = await offer(script, words)
      for (const word of offered)
        assert.ok(
          got.some((one) => one.includes(word)),
          `${words.join(' ')}: ${got.join(' ')}`,
        )
      for (const word of not) assert.ok(!got.includes(word), `${words.join(' ')}: ${got.join(' ')}`)
    }
  })
}

test('bash completes a file whose name holds a space as one reply', async () => {
  const script = await scriptFor('bash')
  assert.deepEqual(await SHELLS['bash']?.(script, ['mediamill', 'process', 'two']), ['two words'])
  assert.deepEqual(await SHELLS['bash']?.(script, ['mediamill', 'process', 'two\\ w']), ['two words'])
})
