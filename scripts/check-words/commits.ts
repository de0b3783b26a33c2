import { execFileSync, spawnSync } from 'node:child_process'

/** Returns the commits after `first` as `ID SUBJECT`. If a shallow clone lacks `first`, returns only the last commit. */
export function newCommits(folder: string, first: string): string[] {
  const isKnown = spawnSync('git', ['cat-file', '-e', `${first}^{commit}`], { cwd: folder }).status === 0
  const range = isKnown ? `${first}..HEAD` : '-1'
  const log = execFileSync('git', ['log', '--no-merges', '--format=%h %s', range], { cwd: folder, encoding: 'utf8' })
  return log.split('\n').filter(Boolean)
}
