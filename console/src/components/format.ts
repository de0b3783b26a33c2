import type { Money } from '../api/objects.ts'
import { shared } from '../text.ts'

export function formatDollars(microUsd: number): string {
  const dollars = microUsd / 1_000_000
  const decimals = microUsd % 10_000 === 0 ? 2 : microUsd % 1000 === 0 ? 3 : microUsd % 100 === 0 ? 4 : 6
  return dollars.toLocaleString('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: decimals })
}

export const formatMoney = (money: Pick<Money, 'micro_usd'>) => formatDollars(money.micro_usd)

export const formatCount = (count: number) => count.toLocaleString('en-US')

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return shared.minutesAndSeconds(Math.floor(seconds / 60), seconds % 60)
  return shared.hoursAndMinutes(Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60))
}

export function formatAgo(iso: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1000))
  if (seconds < 5) return shared.justNow
  if (seconds < 60) return shared.secondsAgo(seconds)
  if (seconds < 3600) return shared.minutesAgo(Math.floor(seconds / 60))
  if (seconds < 86_400) return shared.hoursAgo(Math.floor(seconds / 3600))
  return shared.daysAgo(Math.floor(seconds / 86_400))
}

const formatDate = (iso: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-US', { hourCycle: 'h23', ...options }).format(new Date(iso))

/** Formats a time such as `Nov 22, 2026, 07:15:02`, in the time zone of the browser. */
export const formatTime = (iso: string) => formatDate(iso, { dateStyle: 'medium', timeStyle: 'medium' })

/** Formats a time such as `Nov 22, 2026, 07:15:02 UTC`. */
export const formatUtcTime = (iso: string) =>
  shared.inUtc(formatDate(iso, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' }))

/** Formats a UTC day such as `Nov 22, 2026`. */
export const formatDay = (day: string) => formatDate(day, { dateStyle: 'medium', timeZone: 'UTC' })

/** Formats a UTC day without its year, such as `Nov 22`. */
export const formatShortDay = (day: string) => formatDate(day, { month: 'short', day: 'numeric', timeZone: 'UTC' })

const SPELLINGS: Record<string, string> = { url: 'URL', pdf: 'PDF', javascript: 'JavaScript' }

/** Formats a name of the API: `Remove background` for `remove_background`, and `Image URL` for `image_url`. */
export function formatName(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll('/', ' · ')
    .replaceAll(/\w+/g, (word) => SPELLINGS[word] ?? word)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const hasPassed = (iso: string) => Date.parse(iso) < Date.now()
