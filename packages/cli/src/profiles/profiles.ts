import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { reasonOf } from '../batch/reason.ts'
import { fileErrorReason } from '../file-error.ts'
import { configFolder } from './folders.ts'

type Profile = { url: string; api_key: string }

export type Profiles = Record<string, Profile>

export const DEFAULT_PROFILE = 'default'

const pathOfProfiles = () => join(configFolder(), 'config.json')
const OPEN_TO_OTHERS = 0o077

export async function readProfiles(): Promise<Profiles> {
  const path = pathOfProfiles()
  let text: string
  try {
    text = await readFile(path, 'utf8')
    const { mode } = await stat(path)
    if (process.platform !== 'win32' && (mode & OPEN_TO_OTHERS) !== 0) {
      process.stderr.write(`mediamill: other users can read ${path}, which has API keys: run chmod 600 ${path}\n`)
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw new OperatorError(`${path} cannot be read (${fileErrorReason(error) ?? reasonOf(error)}).`, { cause: error })
  }
  try {
    return parseProfiles(JSON.parse(text))
  } catch (error) {
    throw new OperatorError(
      `${path} is not a valid profiles file: fix it, or delete it and run mediamill login again.`,
      {
        cause: error,
      },
    )
  }
}

/** Saves a profile atomically, in a file that only this user can read. */
export async function keepProfile(name: string, profile: Profile): Promise<string> {
  const path = pathOfProfiles()
  const profiles = { ...(await readProfiles()), [name]: profile }
  await mkdir(configFolder(), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${JSON.stringify({ profiles }, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  await rename(draft, path)
  return path
}

function parseProfiles(value: unknown): Profiles {
  if (typeof value !== 'object' || value === null || !('profiles' in value))
    throw new RangeError('the file contains no profiles')
  const { profiles } = value
  if (typeof profiles !== 'object' || profiles === null) throw new RangeError('the file contains no profiles')
  for (const profile of Object.values(profiles)) {
    if (typeof profile?.url !== 'string' || typeof profile.api_key !== 'string')
      throw new RangeError('a profile has no url or no api_key')
  }
  return profiles as Profiles
}
