import { didYouMean } from '@mediamill/contract/lib/did-you-mean'
import { environment, SETTINGS } from './config.ts'
import type { Setting } from './parse.ts'
import { variablesOf } from './setting-text.ts'

export function misspeltSettings(env: Readonly<Record<string, string | undefined>> = environment()): string[] {
  const names = Object.values<Setting>(SETTINGS).flatMap(variablesOf)
  return Object.keys(env).flatMap((name) => {
    if (names.includes(name)) return []
    const bare = name.replace(/^MEDIAMILL_/i, '')
    // A short name is similar to too many other names: HOME is not a misspelled HOST.
    const meant =
      names.find((known) => known === bare.toUpperCase()) ?? (bare.length < 7 ? undefined : didYouMean(bare, names))
    return meant === undefined ? [] : [`${name} is not a setting. Did you mean ${meant}?`]
  })
}
