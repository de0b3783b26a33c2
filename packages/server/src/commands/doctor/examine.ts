import { networkOf } from '../../app/shared-resources.ts'
import type { Config } from '../../config/config.ts'
import { readConfig } from '../../config/config.ts'
import { misspeltSettings } from '../../config/misspelt.ts'
import type { Network } from '../../outbound/network.ts'
import { checkDatabase } from './database.ts'
import type { Finding } from './finding.ts'
import { good, warning } from './finding.ts'
import { checkFonts } from './fonts.ts'
import { checkDescriptors, checkDisk, checkMachine } from './machine.ts'
import { checkNames } from './names.ts'
import { checkSandbox } from './sandbox.ts'
import { checkStore } from './store.ts'

export async function examine(config = readConfig(), network: Network = networkOf(config)): Promise<Finding[]> {
  const concurrency = config.workerConcurrency
  const [sandbox, database, ...others] = await Promise.all([
    checkSandbox(config.isolation),
    checkDatabase(config),
    checkStore(config),
    checkDisk(config.dataDir),
    checkNames(network),
    checkFonts(),
    checkDescriptors(concurrency),
  ])
  const machine = [checkProgram(), checkSettings(config), checkMachine(concurrency)]
  return [...machine, sandbox, ...database, ...others.filter((finding) => finding !== undefined)]
}

function checkProgram(): Finding {
  return good('program', `Node.js ${process.versions.node} on ${process.platform} ${process.arch}`)
}

function checkSettings({ databaseUrl, secretKey }: Config): Finding {
  const [misspelt] = misspeltSettings()
  if (misspelt !== undefined)
    return warning('settings', misspelt, 'Rename it, or ignore this if another program uses it.')
  const isOwn = databaseUrl === undefined && secretKey === undefined
  return good('settings', isOwn ? 'no database settings: all data is in DATA_DIR' : 'all are valid')
}
