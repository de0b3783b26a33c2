import { homedir } from 'node:os'
import { join } from 'node:path'
import { environmentVariable } from '@mediamill/sdk/src/environment'

/** Where settings of this user lie (XDG Base Directory Specification). */
export const configFolder = (): string =>
  join(environmentVariable('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'mediamill')

/** Where notes of this user lie that outlast a command. */
export const stateFolder = (): string =>
  join(environmentVariable('XDG_STATE_HOME') ?? join(homedir(), '.local', 'state'), 'mediamill')
