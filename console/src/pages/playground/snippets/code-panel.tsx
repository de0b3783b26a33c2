import { Tabs } from '@mantine/core'
import type { ReactNode } from 'react'
import { lazy, Suspense } from 'react'
import { useSession } from '../../../api/queries/session.ts'
import { loadPart } from '../../../app/load-part.ts'
import { Loading } from '../../../components/loading.tsx'
import { Panel } from '../../../components/panel.tsx'
import { text } from '../text.ts'
import { cliSnippet } from './cli-snippet.ts'
import { curlSnippet } from './curl-snippet.ts'
import { pythonSnippet } from './python-snippet.ts'
import type { CodeStep } from './snippet.ts'
import { typescriptSnippet } from './typescript-snippet.ts'

const CodeBlock = lazy(
  loadPart(async () => ({ default: (await import('../../../components/code-block.tsx')).CodeBlock })),
)

const LANGUAGES = [
  { name: 'curl', label: text.curl, language: 'bash', write: curlSnippet },
  { name: 'typescript', label: text.typeScript, language: 'typescript', write: typescriptSnippet },
  { name: 'python', label: text.python, language: 'python', write: pythonSnippet },
  { name: 'cli', label: text.cli, language: 'bash', write: cliSnippet },
] as const

type Props = { about: string; steps: readonly CodeStep[]; actions?: ReactNode }

export function CodePanel({ about, steps, actions }: Props) {
  const { service } = useSession()
  const snippet = { baseUrl: service.base_url, steps }
  return (
    <Panel title={text.code} about={about} actions={actions}>
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List mb="sm">
          {LANGUAGES.map(({ name, label }) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {LANGUAGES.map(({ name, label, language, write }) => (
          <Tabs.Panel key={name} value={name}>
            <Suspense fallback={<Loading />}>
              <CodeBlock code={write(snippet)} language={language} label={text.codeFor(label)} />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  )
}
