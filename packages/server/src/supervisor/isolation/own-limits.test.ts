import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { findTool, limitCommand } from './command.ts'
import { allowedLimit } from './own-limits.ts'

const MIB = 1024 * 1024
const prlimit = findTool('prlimit')
const missing = prlimit === undefined ? 'prlimit is not installed' : false
const COMMAND = new URL('./command.ts', import.meta.url).href
const SETTING = { entry: '/', folder: '/', mountPoint: '/', memoryBytes: 512 * MIB, cpuMs: 60_000, fileBytes: 64 * MIB }

function startUnder(limits: string[]) {
  const program = `
    const { limitCommand } = await import(${JSON.stringify(COMMAND)})
    const [file, ...args] = [...limitCommand(${JSON.stringify(SETTING)}), '/bin/cat', '/proc/self/limits']
    const { spawnSync } = await import('node:child_process')
    const { stdout, stderr } = spawnSync(file, args, { encoding: 'utf8' })
    process.stdout.write(stdout)
    process.stderr.write(stderr)`
  const node = [process.execPath, '--input-type=module', '--eval', program]
  const { stdout, stderr } = spawnSync(prlimit ?? '', [...limits, ...node], { encoding: 'utf8' })
  const hard = (name: string) => Number(new RegExp(`^Max ${name} +\\S+ +(\\d+)`, 'm').exec(stdout)?.[1])
  return { stderr, hard }
}

test('an engine gets the resource limits of the machine if they are lower than the limits that the worker sets', {
  skip: missing,
}, () => {
  const { stderr, hard } = startUnder([
    '--nofile=256:256',
    `--fsize=${32 * MIB}:${32 * MIB}`,
    `--data=${2048 * MIB}:${2048 * MIB}`,
    '--cpu=30:30',
  ])
  assert.equal(stderr, '')
  assert.deepEqual(['open files', 'file size', 'data size', 'cpu time'].map(hard), [256, 32 * MIB, 2048 * MIB, 30])
})

test('an engine gets the resource limits that the worker sets if the machine allows higher limits', {
  skip: missing,
}, () => {
  const { stderr, hard } = startUnder(['--nofile=2000:2000'])
  assert.equal(stderr, '')
  assert.deepEqual(['open files', 'file size', 'data size', 'cpu time'].map(hard), [1024, 64 * MIB, 2560 * MIB, 65])
  assert.equal(limitCommand(SETTING).includes('--nofile=1024'), true)
})

test('an engine gets the limit that the worker sets if the machine has no limit for the resource', () => {
  assert.equal(allowedLimit('pictures' as 'processes', 4096), 4096)
})
