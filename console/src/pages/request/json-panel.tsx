import { lazy, Suspense } from 'react'
import type { MediaRequest } from '../../api/objects.ts'
import { loadPart } from '../../app/load-part.ts'
import { Loading } from '../../components/loading.tsx'
import { Panel } from '../../components/panel.tsx'
import { text } from './text.ts'

const CodeBlock = lazy(loadPart(async () => ({ default: (await import('../../components/code-block.tsx')).CodeBlock })))

export function JsonPanel({ request }: { request: MediaRequest }) {
  return (
    <Panel title={text.json}>
      <Suspense fallback={<Loading />}>
        <CodeBlock code={JSON.stringify(request, null, 2)} language="json" label={text.theRequestAsJson} collapsed />
      </Suspense>
    </Panel>
  )
}
