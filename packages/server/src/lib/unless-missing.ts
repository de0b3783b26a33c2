import { codeOf } from './error-code.ts'

/** Returns the result of `work`, or `undefined` if a file or folder that `work` needs does not exist. */
export async function unlessMissing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
