import type { Isolation } from '@mediamill/server/supervisor/isolation/isolation'

/** Starts engines without a sandbox, so that tests see only the limits that the worker itself enforces. */
export const bareIsolation: Isolation = {
  tier: 'process',
  description: 'no sandbox',
  user: undefined,
  isFiltered: false,
  command: ({ entry }) => ({ file: process.execPath, args: [entry], environment: {} }),
  reach: { files: true, jobs: true, network: true, processes: true },
}
