import type { Isolation } from '@mediamill/server/supervisor/isolation/isolation'

/** No walls, so that an engine can try everything that its host itself must catch. */
export const bareIsolation: Isolation = {
  tier: 'process',
  description: 'no walls',
  user: undefined,
  isFiltered: false,
  command: ({ entry }) => ({ file: process.execPath, args: [entry], environment: {} }),
  reach: { files: true, jobs: true, network: true, processes: true },
}
