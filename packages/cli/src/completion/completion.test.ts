import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startHttpServer } from '@mediamill/lab/support/http-server'
import { shared, sharedFolder } from '@mediamill/lab/support/shared'

const run = promisify(execFile)
const MAIN = join(import.meta.dirname, '../main.ts')
const folder = await sharedFolder('mediamill-completion-')
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

/** A function for each shell. It returns the completions for `words`, whose last word is incomplete. */
const SHELLS: Record<string, (script: string, words: string[]) => Promise<string[]>> = {
  async bash(script, words) {
    const quoted = words.map((word) => `'${word}'`).join(' ')
    const code = `source '${script}'; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _mediamill; printf '%s\\n' "\${COMPREPLY[@]}"`
    return (await run('bash', ['--norc', '-c', code], { cwd: folder })).stdout.trim().split('\n')
  },
  async zsh(script, words) {
    // Types into an interactive zsh in its own terminal, and skips the characters that the terminal would interpret.
    // npm sets EDITOR, and with `vi` zsh would use the key bindings of vi.
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
  test(`the command-line completion in ${shell} suggests commands, flags, values, and files`, {
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

/** The calls to a fake service. One of its three request ids contains a shell command. */
const calls: string[] = []
const { url } = shared(
  await startHttpServer((call, response) => {
    calls.push(`${call.method} ${call.url}`)
    const data = [{ id: 1742 }, { id: 1741 }, { id: `$(touch ${join(folder, 'owned')})\u001b[2J` }]
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ object: 'list', data, has_more: false }))
  }),
)
const bin = join(folder, 'bin')
await mkdir(join(folder, 'config', 'mediamill'), { recursive: true })
await mkdir(bin)
const profile = { url, api_key: 'svc_test_x' }
await writeFile(
  join(folder, 'config', 'mediamill', 'config.json'),
  JSON.stringify({ profiles: { default: profile, staging: profile, 'two words': profile } }),
  { mode: 0o600 },
)
await writeFile(join(bin, 'mediamill'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`)
await chmod(join(bin, 'mediamill'), 0o755)
Object.assign(process.env, { PATH: `${bin}:${process.env['PATH']}`, XDG_CONFIG_HOME: join(folder, 'config') })
for (const name of ['MEDIAMILL_URL', 'MEDIAMILL_API_KEY', 'MEDIAMILL_PROFILE'])
  Reflect.deleteProperty(process.env, name)

for (const [shell, offer] of Object.entries(SHELLS)) {
  test(`the command-line completion in ${shell} suggests request ids and profile names`, {
    skip: !isThere(shell) && `${shell} is not installed`,
  }, async () => {
    const script = await scriptFor(shell)
    const before = calls.length
    const numbers = (await offer(script, ['mediamill', 'get', '174'])).join(' ')
    assert.match(numbers, /1741/)
    assert.match(numbers, /1742/)
    assert.deepEqual(calls.slice(before), ['GET /v1/requests?limit=30'])
    const profiles = (await offer(script, ['mediamill', 'get', '--profile', 'st'])).join(' ')
    assert.match(profiles, /staging/)
    assert.doesNotMatch(profiles, /default|two words/)
    assert.ok(!existsSync(join(folder, 'owned')), 'the shell ran text of the service')
  })
}

test('the command-line completion suggests no values if the service does not respond', async () => {
  const env = { ...process.env, MEDIAMILL_URL: 'http://127.0.0.1:1', MEDIAMILL_API_KEY: 'svc_test_x' }
  const { stdout, stderr } = await run(process.execPath, [MAIN, 'complete-values', 'requests'], { env })
  assert.deepEqual([stdout, stderr], ['', ''])
})

test('bash completes a file name with a space as a single word', async () => {
  const script = await scriptFor('bash')
  assert.deepEqual(await SHELLS['bash']?.(script, ['mediamill', 'process', 'two']), ['two words'])
  assert.deepEqual(await SHELLS['bash']?.(script, ['mediamill', 'process', 'two\\ w']), ['two words'])
})
