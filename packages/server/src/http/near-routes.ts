import { CODES_PATH } from '@mediamill/contract/domain/errors'
import { MEDIA_TYPES } from '@mediamill/contract/domain/media'
import { didYouMean } from '@mediamill/contract/lib/did-you-mean'
import { joinList } from '@mediamill/contract/lib/format-text'
import { OPERATIONS } from '@mediamill/contract/operations/index'
import { supports } from '@mediamill/contract/operations/operation'
import { ROUTES } from '@mediamill/contract/routes'

/** A suggestion for an unknown path or method, and the methods that the path supports. */
export type NearRoutes = { sentence: string; allow?: string }

type Known = { method: string; path: string; segments: string[] }

const known = (method: string, path: string): Known => ({
  method: method.toUpperCase(),
  path,
  segments: segmentsOf(path),
})
const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '')

/** The routes of the contract and the other public paths. */
const KNOWN: readonly Known[] = [
  ...ROUTES.map(({ method, path }) => known(method, path)),
  ...['/docs', CODES_PATH, '/v1/openapi.json', '/livez', '/readyz', '/metrics'].map((path) => known('GET', path)),
]

const OTHERWISE: Readonly<Record<string, string>> = {
  'POST /v1/requests': 'A request is started at its endpoint, such as POST /v1/images/process.',
  'DELETE /v1/requests/{id}': 'POST /v1/requests/{id}/abort stops a request.',
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  pdf: 'documents',
  pdfs: 'documents',
  doc: 'documents',
  docs: 'documents',
  photo: 'images',
  photos: 'images',
  picture: 'images',
  pictures: 'images',
  movie: 'videos',
  movies: 'videos',
}

const otherName = (segment: string) => OTHER_NAMES[segment] ?? segment

/** The maximum length of a path that gets a suggestion. */
const MAX_PATH = 200

/** Suggests routes for an unknown path or method. `url` may have a query. */
export function nearRoutes(method: string, url: string): NearRoutes {
  const path = url.split(/[?#]/, 1)[0] ?? ''
  if (path.length > MAX_PATH) return { sentence: 'There is nothing at this path.' }
  const here = KNOWN.filter((route) => isAt(route, path.split('/').slice(1)))
  if (here.length > 0) return otherMethod(method, here)
  const [first = '', ...others] = segmentsOf(path.toLowerCase())
  const segments = /^v\d+$/.test(first) ? others : [first, ...others]
  const found = firstOf(
    [segments, ['v1', ...segments]].flatMap((tried) => [
      withSegments(tried),
      misspelt(tried),
      withSegments(tried.map(otherName)),
    ]),
  )
  if (found.length === 0) {
    const [group, last] = segments
    if (group !== undefined && last !== undefined && segments.length === 2) {
      const media = MEDIA_TYPES.find((one) => `${one}s` === group)
      const operation = OPERATIONS.find(({ name }) => name === last.replaceAll('-', '_'))
      if (media !== undefined && operation !== undefined && supports(operation, media)) {
        const path = `POST /v1/${group}/process`
        return {
          sentence: `There is nothing at this path. ${operation.name} is an operation: send it in operations of ${path}.`,
        }
      }
    }
  }
  const likely =
    found.length > 0 ? found : firstOf([below(['v1', ...segments]), below(['v1', ...segments.slice(0, -1)])])
  const best = likely.filter((route) => route.method === method)
  return { sentence: `There is nothing at this path.${suggestion(best.length > 0 ? best : likely)}` }
}

const firstOf = (lists: readonly Known[][]) => lists.find((list) => list.length > 0) ?? []
const withSegments = (segments: readonly string[]) => KNOWN.filter((route) => isAt(route, segments))

function otherMethod(method: string, here: readonly Known[]): NearRoutes {
  const methods = [...new Set(here.map((route) => route.method))]
  const otherwise = OTHERWISE[`${method} ${here[0]?.path}`]
  return {
    sentence: `This path takes ${joinList(methods)}, not ${method}.${otherwise === undefined ? '' : ` ${otherwise}`}`,
    allow: methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one])).join(', '),
  }
}

const suggestion = (routes: readonly Known[]) =>
  routes.length === 0
    ? ''
    : ` Did you mean ${joinList(
        routes.slice(0, 3).map(({ method, path }) => `${method} ${path}`),
        'or',
      )}?`

const isAt = (route: Known, segments: readonly string[]) =>
  route.segments.length === segments.length &&
  route.segments.every((segment, index) =>
    segment.startsWith('{') ? segments[index] !== '' : segment === segments[index],
  )

function misspelt(segments: readonly string[]): Known[] {
  return KNOWN.filter(
    (route) =>
      route.segments.length === segments.length &&
      route.segments.every((segment, index) => {
        const written = segments[index] ?? ''
        return segment.startsWith('{') || segment === written || didYouMean(written, [segment]) !== undefined
      }),
  )
}

/** Returns the routes one segment below a path of at least two segments. */
function below(start: readonly string[]): Known[] {
  const named = start.map((segment) => (/^\d+$/.test(segment) ? '{id}' : segment))
  if (named.length < 2) return []
  const isBelow = ({ segments }: Known) =>
    segments.length === named.length + 1 && named.every((one, index) => segments[index] === one)
  return KNOWN.filter(isBelow)
}
