import { homedir } from 'node:os'
import { join } from 'node:path'
import { environmentVariable } from '@mediamill/sdk/src/environment'

/** Returns the folder of the user's settings (XDG Base Directory Specification). */
export const configFolder = (): string =>
  join(environmentVariable('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'mediamill')

export const stateFolder = (): string =>
  join(environmentVariable('XDG_STATE_HOME') ?? join(homedir(), '.local', 'state'), 'mediamill')
