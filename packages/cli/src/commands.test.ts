import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { CLIENT_COMMANDS } from './commands.ts'

/** Commands that call no service, or that name the service without `--url`. */
const OTHERS = ['complete-values', 'completion', 'conformance', 'login']

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)

test('every CLI command that calls the service accepts --url and --profile', async () => {
  const program = new Command('mediamill')
  for (const load of Object.values(CLIENT_COMMANDS)) await (await load()).register(program)
  const without = leavesOf(program).filter(
    ({ options }) => !['--url', '--profile'].every((name) => options.some(({ long }) => long === name)),
  )
  assert.deepEqual(without.map((command) => command.name()).toSorted(), OTHERS)
})
