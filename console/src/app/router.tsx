import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router'
import { readRecipe } from '../pages/playground/recipe.ts'
import { readFilters } from '../pages/requests/filters.ts'
import { readVersion } from '../pages/templates/read-version.ts'
import { loadPart } from './load-part.ts'
import { NotFoundPage } from './not-found-page.tsx'
import { PageProblem } from './page-problem.tsx'
import { basePath } from './page-settings.ts'
import { RootPage } from './shell/root-page.tsx'

type RootSearch = { account?: number | undefined }

const root = createRootRoute({
  component: RootPage,
  notFoundComponent: NotFoundPage,
  errorComponent: PageProblem,
  validateSearch: (search: Record<string, unknown>): RootSearch => {
    const account = Number(search['account'])
    return Number.isSafeInteger(account) && account > 0 ? { account } : {}
  },
  search: { middlewares: [retainSearchParams(['account'])] },
})

const under = <const Path extends string>(path: Path) => ({ getParentRoute: () => root, path })

const lazyPage = <Part extends Record<string, unknown>, Name extends keyof Part & string>(
  load: () => Promise<Part>,
  name: Name,
) => lazyRouteComponent(loadPart(load), name)

const overview = createRoute({
  ...under('/'),
  component: lazyPage(() => import('../pages/overview/overview-page.tsx'), 'OverviewPage'),
})
const requests = createRoute({
  ...under('/requests'),
  validateSearch: readFilters,
  component: lazyPage(() => import('../pages/requests/requests-page.tsx'), 'RequestsPage'),
})
const request = createRoute({
  ...under('/requests/$id'),
  component: lazyPage(() => import('../pages/request/request-page.tsx'), 'RequestPage'),
})
const playground = createRoute({
  ...under('/playground'),
  validateSearch: readRecipe,
  component: lazyPage(() => import('../pages/playground/playground-page.tsx'), 'PlaygroundPage'),
})
const filters = createRoute({
  ...under('/filters'),
  component: lazyPage(() => import('../pages/filters/filters-page.tsx'), 'FiltersPage'),
})
const templates = createRoute({
  ...under('/templates'),
  component: lazyPage(() => import('../pages/templates/templates-page.tsx'), 'TemplatesPage'),
})
const template = createRoute({
  ...under('/templates/$name'),
  validateSearch: readVersion,
  component: lazyPage(() => import('../pages/templates/template-page.tsx'), 'TemplatePage'),
})
const usage = createRoute({
  ...under('/usage'),
  component: lazyPage(() => import('../pages/usage/usage-page.tsx'), 'UsagePage'),
})
const keys = createRoute({
  ...under('/keys'),
  component: lazyPage(() => import('../pages/keys/keys-page.tsx'), 'KeysPage'),
})
const webhooks = createRoute({
  ...under('/webhooks'),
  component: lazyPage(() => import('../pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
})
const settings = createRoute({
  ...under('/settings'),
  component: lazyPage(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
})
const accounts = createRoute({
  ...under('/operator/accounts'),
  component: lazyPage(() => import('../pages/operator/accounts/accounts-page.tsx'), 'AccountsPage'),
})
const account = createRoute({
  ...under('/operator/accounts/$id'),
  component: lazyPage(() => import('../pages/operator/account/account-page.tsx'), 'AccountPage'),
})
const queue = createRoute({
  ...under('/operator/queue'),
  component: lazyPage(() => import('../pages/operator/queue/queue-page.tsx'), 'QueuePage'),
})
const billing = createRoute({
  ...under('/operator/billing'),
  component: lazyPage(() => import('../pages/operator/billing/billing-page.tsx'), 'BillingPage'),
})
const deliveries = createRoute({
  ...under('/operator/deliveries'),
  component: lazyPage(() => import('../pages/operator/deliveries/deliveries-page.tsx'), 'DeliveriesPage'),
})
const health = createRoute({
  ...under('/operator/health'),
  component: lazyPage(() => import('../pages/operator/health/health-page.tsx'), 'HealthPage'),
})
const audit = createRoute({
  ...under('/operator/audit'),
  component: lazyPage(() => import('../pages/operator/audit/audit-page.tsx'), 'AuditPage'),
})

const routeTree = root.addChildren([
  overview,
  requests,
  request,
  playground,
  filters,
  templates,
  template,
  usage,
  keys,
  webhooks,
  settings,
  accounts,
  account,
  queue,
  billing,
  deliveries,
  health,
  audit,
])

export const router = createRouter({
  routeTree,
  basepath: basePath,
  defaultPreload: 'intent',
  scrollRestoration: false,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
