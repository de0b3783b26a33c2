import { good, print } from '@mediamill/cli/src/terminal/output'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { markDraining } from '../db/workers.ts'
import { JSON_FLAG, withDatabase } from './administration/administer.ts'
import { roleHelp } from './settings-help.ts'

export function register(program: Command): void {
  const worker = program
    .command('worker')
    .description('Run a worker. Several processes can share one database and one object store.')
    .addHelpText('after', () => roleHelp('worker'))
    .action(async () => {
      const [{ runRole }, { startWorkers }] = await Promise.all([import('../app/role.ts'), import('../app/worker.ts')])
      await runRole('worker', startWorkers)
    })
  registerDrain(worker)
}

function registerDrain(worker: Command): void {
  worker
    .command('drain')
    .description('Let a worker finish its jobs, claim nothing more, and exit.')
    .argument('<id>', "the worker's id, from doctor --fleet", workerArgument)
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
It works from any machine. The worker claims nothing more within 2 s, has no time limit for its jobs, and exits with 0.
With Restart=on-failure, systemd does not start it again. Do not stop its unit or container before it has exited:
SIGTERM ends it within DRAIN_TIMEOUT, and its unfinished jobs return to the queue. Kubernetes restarts a drained
worker. There, set worker.drainSeconds of the chart instead.

Example:
  mediamill worker drain 0b9c2d2e-58c1-4f0a-8a9f-5d6f3f1c7e21`,
    )
    .action(async (id: string, options: { json?: true }) => {
      const state = await withDatabase((sql) => markDraining(sql, id))
      if (state === 'too old')
        throw new OperatorError(
          `The worker ${id} has an earlier version, which cannot be drained. Upgrade it first: SIGTERM returns its jobs to the queue.`,
        )
      if (state === 'not alive')
        throw new OperatorError(`There is no live worker ${id}: mediamill doctor --fleet lists the workers.`)
      print(options.json, { id, draining: true }, () =>
        good(`The worker ${id} claims nothing more, and exits when its jobs have ended.`),
      )
    })
}

function workerArgument(text: string): string {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) throw new InvalidArgumentError('It must be a UUID.')
  return text
}
