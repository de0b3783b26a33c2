import { networkOf } from '../../app/shared-resources.ts'
import type { Config } from '../../config/config.ts'
import { readConfig } from '../../config/config.ts'
import { misspeltSettings } from '../../config/misspelt.ts'
import type { Network } from '../../outbound/network.ts'
import { judgeDatabase } from './database.ts'
import type { Finding } from './finding.ts'
import { good, warning } from './finding.ts'
import { judgeFonts } from './fonts.ts'
import { judgeDescriptors, judgeDisk, judgeMachine } from './machine.ts'
import { judgeNames } from './names.ts'
import { judgeSandbox } from './sandbox.ts'
import { judgeStore } from './store.ts'

/** Checks all requirements of the service with the current settings. Throws if a setting is invalid. */
export async function examine(config = readConfig(), network: Network = networkOf(config)): Promise<Finding[]> {
  const concurrency = config.workerConcurrency
  const [sandbox, database, ...others] = await Promise.all([
    judgeSandbox(config.isolation),
    judgeDatabase(config),
    judgeStore(config),
    judgeDisk(config.dataDir),
    judgeNames(network),
    judgeFonts(),
    judgeDescriptors(concurrency),
  ])
  const machine = [judgeProgram(), judgeSettings(config), judgeMachine(concurrency)]
  return [...machine, sandbox, ...database, ...others.filter((finding) => finding !== undefined)]
}

function judgeProgram(): Finding {
  return good('program', `Node.js ${process.versions.node} on ${process.platform} ${process.arch}`)
}

function judgeSettings({ databaseUrl, secretKey }: Config): Finding {
  const [misspelt] = misspeltSettings()
  if (misspelt !== undefined)
    return warning('settings', misspelt, 'Rename it, or ignore this if another program uses it.')
  const isOwn = databaseUrl === undefined && secretKey === undefined
  return good('settings', isOwn ? 'no database settings: all data is in DATA_DIR' : 'all are valid')
}
