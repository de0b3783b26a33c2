import assert from 'node:assert/strict'
import * as activity from '@mediamill/contract/console/activity'
import type { ConsoleRoute } from '@mediamill/contract/console/console-route'
import * as estimates from '@mediamill/contract/console/estimates'
import * as mail from '@mediamill/contract/console/mail'
import * as operator from '@mediamill/contract/console/operator'
import * as operatorService from '@mediamill/contract/console/operator-service'
import * as payments from '@mediamill/contract/console/payments'
import * as session from '@mediamill/contract/console/session'
import * as settings from '@mediamill/contract/console/settings'
import { CONSOLE_ERRORS } from '@mediamill/contract/domain/errors'
import type { LinkTarget } from '@mediamill/server/accounts/sign-in/links'
import { makeSignInLink } from '@mediamill/server/accounts/sign-in/links'
import { checkResponse } from './contract.ts'
import type { Json, Service } from './service.ts'

export const CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  activity,
  estimates,
  mail,
  operator,
  operatorService,
  payments,
  session,
  settings,
]
  .flatMap((part) => Object.values(part) as unknown[])
  .filter(
    (one): one is ConsoleRoute => typeof one === 'object' && one !== null && 'path' in one && 'allowedSessions' in one,
  )

export type BrowserResponse = { status: number; headers: Headers; body: Json; bytes: Buffer }

type Sent = { body?: unknown; headers?: Record<string, string | undefined> }

/** An HTTP client that stores a cookie, and sends the same headers as the console. */
export type Browser = {
  cookie: string | undefined
  call: (method: string, path: string, sent?: Sent) => Promise<BrowserResponse>
}

export function openBrowser(service: Pick<Service, 'url'>, cookie?: string): Browser {
  const browser: Browser = {
    cookie,
    async call(method, path, { body, headers = {} } = {}) {
      const isFile = body instanceof Uint8Array
      const sent = {
        ...(browser.cookie !== undefined && { cookie: browser.cookie }),
        ...(method !== 'GET' && { 'sec-fetch-site': 'same-origin' }),
        ...(method !== 'GET' && method !== 'DELETE' && !isFile && { 'content-type': 'application/json' }),
        ...headers,
      }
      const kept = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined)
      const text = isFile || typeof body === 'string' ? body : JSON.stringify(body ?? {})
      const hasBody = method !== 'GET' && (method !== 'DELETE' || body !== undefined)
      const response = await fetch(`${service.url}/console/api${path}`, {
        method,
        redirect: 'manual',
        headers: kept,
        ...(hasBody && { body: text }),
      })
      const bytes = Buffer.from(await response.arrayBuffer())
      const set = response.headers.get('set-cookie')
      if (set !== null) browser.cookie = set.includes('Max-Age=0') ? undefined : set.split(';')[0]
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
      const shown = isJson ? JSON.parse(bytes.toString()) : undefined
      checkConsoleResponse(method, path, response.status, shown)
      return { status: response.status, headers: response.headers, body: shown, bytes }
    },
  }
  return browser
}

export async function signedIn(service: Service, target: LinkTarget): Promise<Browser> {
  const browser = openBrowser(service)
  const { status } = await browser.call('POST', '/session', { body: { token: await tokenFor(service, target) } })
  assert.equal(status, 201)
  return browser
}

export async function tokenFor({ sql, url }: Service, target: LinkTarget): Promise<string> {
  const link = await makeSignInLink(sql, url, { actor: 'command', sessionId: null }, target)
  return link.url.split('#token=')[1] ?? ''
}

function checkConsoleResponse(method: string, sent: string, status: number, body: Json): void {
  const path = `/console/api${sent.split('?')[0]}`
  const route = CONSOLE_ROUTES.find((one) => one.method === method.toLowerCase() && patternOf(one).test(path))
  if (status >= 400) {
    const { code, message, request_id } = body.error
    assert.ok(typeof code === 'string' && typeof message === 'string' && request_id.startsWith('req_'), path)
    if (Object.hasOwn(CONSOLE_ERRORS, code)) assert.equal(status, CONSOLE_ERRORS[code as keyof typeof CONSOLE_ERRORS])
    return
  }
  if (route === undefined) {
    checkResponse(method, path.replace('/console/api', '/v1'), { status, body })
    return
  }
  const response = route.responses[status]
  assert.ok(response !== undefined, `${method} ${path} returned ${status}, which its route does not declare`)
  const parsed = response.schema?.safeParse(body)
  assert.ok(parsed?.success !== false, `${method} ${path}: ${String(parsed?.error)} in ${JSON.stringify(body)}`)
}

const patternOf = ({ path }: ConsoleRoute) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
