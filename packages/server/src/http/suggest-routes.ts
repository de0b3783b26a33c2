import { CODES_PATH } from '@mediamill/contract/domain/errors'
import { didYouMean } from '@mediamill/contract/lib/did-you-mean'
import { joinList } from '@mediamill/contract/lib/format-text'
import { SAMPLE_NAMES } from '@mediamill/contract/objects/samples'
import { OPERATIONS } from '@mediamill/contract/operations/index'
import { ROUTES } from '@mediamill/contract/routes'

export type RouteSuggestions = { sentence: string; allow?: string }

type DeclaredRoute = { method: string; path: string; segments: string[] }

const known = (method: string, path: string): DeclaredRoute => ({
  method: method.toUpperCase(),
  path,
  segments: segmentsOf(path),
})
const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '')

const KNOWN: readonly DeclaredRoute[] = [
  ...ROUTES.map(({ method, path }) => known(method, path)),
  ...['/docs', CODES_PATH, '/v1/openapi.json', '/livez', '/readyz', '/metrics'].map((path) => known('GET', path)),
]

const SAMPLE_PATHS = joinList(
  SAMPLE_NAMES.map((name) => `/docs/samples/${name}`),
  'and',
)

/** Hints by method and path. The groups of the match are the arguments of the function. */
const HINTS: readonly (readonly [RegExp, (...groups: string[]) => string])[] = [
  [/^POST \/v1\/requests$/, () => 'To start a request, call an endpoint such as POST /v1/images/process.'],
  [/^DELETE \/v1\/requests\/\d+$/, () => 'To abort a request, call POST /v1/requests/{id}/abort.'],
  [/^\w+ \/v1\/requests\/\d+\/(?:cancel|stop)$/, () => 'Did you mean POST /v1/requests/{id}/abort?'],
  [/^\w+ \/v1\/(?:pdf|doc)s?\//, () => 'Did you mean POST /v1/documents/process?'],
  [
    new RegExp(`^\\w+ /v1/(images|videos|documents)/(${OPERATIONS.map(({ name }) => name).join('|')})$`),
    (media, operation) => `${operation} is an operation: send it in operations of POST /v1/${media}/process.`,
  ],
  [/^\w+ \/(?:v1\/|docs\/)?samples?(?:\/|$)/, () => `The samples are ${SAMPLE_PATHS}.`],
]

const MAX_PATH = 200

export function suggestRoutes(method: string, url: string): RouteSuggestions {
  const path = url.split(/[?#]/, 1)[0] ?? ''
  if (path.length > MAX_PATH) return { sentence: 'There is nothing at this path.' }
  if (!isPercentEncoded(path)) return { sentence: 'The path has an invalid percent-encoding; write % as %25.' }
  const hint = HINTS.flatMap(([pattern, sentence]) => {
    const match = pattern.exec(`${method} ${path}`)
    return match === null ? [] : [sentence(...match.slice(1))]
  })
  const here = KNOWN.filter((route) => isAt(route, path.split('/').slice(1), isSame))
  if (here.length > 0) return otherMethod(method, here, hint)
  const [first = '', ...others] = segmentsOf(path.toLowerCase())
  // Adds `v1` to a path without a version. Replaces any other version with `v1`.
  const segments = ['v1', ...(/^v\d+$/.test(first) ? others : [first, ...others])]
  const near = KNOWN.filter((route) => isAt(route, segments, isAlike) || isAt(route, segments.slice(1), isAlike))
  const best = near.filter((route) => route.method === method)
  const meant = (best.length > 0 ? best : near).slice(0, 3).map((route) => `${route.method} ${route.path}`)
  if (hint.length === 0 && meant.length > 0) hint.push(`Did you mean ${joinList(meant, 'or')}?`)
  return { sentence: ['There is nothing at this path.', ...hint].join(' ') }
}

function isPercentEncoded(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function otherMethod(method: string, here: readonly DeclaredRoute[], hint: readonly string[]): RouteSuggestions {
  const methods = [...new Set(here.map((route) => route.method))]
  return {
    sentence: [`This path supports ${joinList(methods)}, not ${method}.`, ...hint].join(' '),
    allow: methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one])).join(', '),
  }
}

const isSame = (written: string, segment: string) => written === segment
const isAlike = (written: string, segment: string) => didYouMean(written, [segment]) !== undefined

const isAt = (route: DeclaredRoute, written: readonly string[], fits: (written: string, segment: string) => boolean) =>
  route.segments.length === written.length &&
  route.segments.every((segment, index) => {
    const word = written[index] ?? ''
    return segment.startsWith('{') ? word !== '' : fits(word, segment)
  })
