import type { Isolation } from '@mediamill/server/supervisor/isolation/isolation'

/** Runs engines without a sandbox, so that a test can check the limits that the engine host enforces itself. */
export const bareIsolation: Isolation = {
  tier: 'process',
  description: 'no sandbox',
  user: undefined,
  isFiltered: false,
  command: ({ entry }) => ({ file: process.execPath, args: [entry], environment: {} }),
  reach: { files: true, jobs: true, network: true, processes: true },
}
