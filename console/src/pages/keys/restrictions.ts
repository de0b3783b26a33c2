import type { Key } from '../../api/objects.ts'
import { formatDay } from '../../components/format.ts'
import { text } from './text.ts'

/** The values of the form. In a text, commas or spaces separate the values of a list. */
type RestrictionFields = {
  endpoints: string[]
  templates: string
  createOnly: boolean
  origins: string
  addresses: string
  dailySpend: string
  expiresOn: string
}

export const NO_RESTRICTIONS: RestrictionFields = {
  endpoints: [],
  templates: '',
  createOnly: false,
  origins: '',
  addresses: '',
  dailySpend: '',
  expiresOn: '',
}

const listOf = (typed: string): string[] => typed.split(/[\s,]+/).filter((word) => word !== '')

export function restrictionsOf(fields: RestrictionFields): Record<string, unknown> {
  const lists = {
    endpoints: fields.endpoints,
    templates_only: listOf(fields.templates),
    origins: listOf(fields.origins),
    addresses: listOf(fields.addresses),
  }
  return {
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...(fields.createOnly && { create_only: true }),
    ...(fields.dailySpend.trim() !== '' && { daily_spend: fields.dailySpend.trim() }),
    ...(fields.expiresOn !== '' && { expires_at: `${fields.expiresOn}T00:00:00Z` }),
  }
}

export function describeRestrictions({ restrictions }: Pick<Key, 'restrictions'>): string[] {
  if (restrictions === null) return []
  const {
    endpoints,
    templates_only: templates,
    mode_only,
    create_only,
    origins,
    addresses,
    daily_spend,
    expires_at,
  } = restrictions
  return [
    ...(endpoints === undefined ? [] : [text.endpoints(endpoints.join(', '))]),
    ...(templates === undefined
      ? []
      : [text.templates(Array.isArray(templates) ? templates.join(', ') : text.onlyTemplates)]),
    ...(mode_only === true ? [text.onlyOwnMode] : []),
    ...(create_only === true ? [text.createOnly] : []),
    ...(origins === undefined ? [] : [text.origins(origins.join(', '))]),
    ...(addresses === undefined ? [] : [text.addresses(addresses.join(', '))]),
    ...(daily_spend === undefined ? [] : [text.dailySpend(daily_spend)]),
    ...(expires_at === undefined ? [] : [text.expires(formatDay(expires_at))]),
  ]
}
