import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'

const SCRIPT = join(import.meta.dirname, '../../scripts/chaos.ts')

/** Runs one trial in a process of its own; what it prints is for whoever has to find out why it failed. */
async function runChaos(...args: string[]): Promise<{ code: number; printed: string }> {
  const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  const [code] = (await once(child, 'close')) as [number]
  return { code, printed }
}

const linuxOnly = { skip: process.platform !== 'linux' }

test(
  'whatever is killed meanwhile, every accepted request ends once, is charged once and told of once [rulings 7]',
  linuxOnly,
  async () => {
    const { code, printed } = await runChaos('--short')
    assert.equal(code, 0, printed)
  },
)

test(
  'processes that are replaced one after the other under load lose and fail nothing [rulings 1]',
  linuxOnly,
  async () => {
    const { code, printed } = await runChaos('--short', '--rolling')
    assert.equal(code, 0, printed)
  },
)
