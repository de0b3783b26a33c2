import { Tabs } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useSession } from '../../../api/queries/session.ts'
import { loadPart } from '../../../app/load-part.ts'
import { Loading } from '../../../components/loading.tsx'
import { Panel } from '../../../components/panel.tsx'
import { cliSnippet } from './cli-snippet.ts'
import { curlSnippet } from './curl-snippet.ts'
import { pythonSnippet } from './python-snippet.ts'
import { typescriptSnippet } from './typescript-snippet.ts'

const CodeBlock = lazy(
  loadPart(async () => ({ default: (await import('../../../components/code-block.tsx')).CodeBlock })),
)

const WAYS = [
  { name: 'curl', label: 'curl', language: 'bash', write: curlSnippet },
  { name: 'typescript', label: 'TypeScript', language: 'typescript', write: typescriptSnippet },
  { name: 'python', label: 'Python', language: 'python', write: pythonSnippet },
  { name: 'cli', label: 'CLI', language: 'bash', write: cliSnippet },
] as const

type Props = {
  endpoint: string
  body: Record<string, unknown>
  /** What the body names of calls that are still to be made. */
  named: string[]
}

/** The same request as code of one's own. */
export function CodePanel({ endpoint, body, named }: Props) {
  const { service } = useSession()
  const snippet = { baseUrl: service.base_url, endpoint, body }
  return (
    <Panel
      title="Code"
      about={
        named.length === 0
          ? 'The same request from your program; the key stays in its environment.'
          : `The last call. ${named.map((name) => `$${name}`).join(', ')} ${named.length === 1 ? 'stands' : 'stand'} for what is made first.`
      }
    >
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List mb="sm">
          {WAYS.map(({ name, label }) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {WAYS.map(({ name, label, language, write }) => (
          <Tabs.Panel key={name} value={name}>
            <Suspense fallback={<Loading />}>
              <CodeBlock code={write(snippet)} language={language} label={`Code for ${label}`} />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  )
}
