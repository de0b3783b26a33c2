import { shared } from '../text.ts'
import '@mantine/code-highlight/styles.css'
import './code-colors.css'
import { CodeHighlight, CodeHighlightAdapterProvider, createHighlightJsAdapter } from '@mantine/code-highlight'
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import { useEffect, useRef } from 'react'

hljs.registerLanguage('bash', bash)
hljs.registerLanguage('json', json)
hljs.registerLanguage('python', python)
hljs.registerLanguage('typescript', typescript)

const adapter = createHighlightJsAdapter(hljs)

type Props = {
  code: string
  language: 'bash' | 'json' | 'python' | 'typescript'
  label: string
  collapsed?: boolean
}

export function CodeBlock({ code, language, label, collapsed = false }: Props) {
  const frame = useRef<HTMLElement>(null)
  // Makes long lines scrollable with the keyboard. The library has no property for this.
  useEffect(() => frame.current?.querySelector('[data-scrollbars]')?.setAttribute('tabindex', '0'), [])
  return (
    <CodeHighlightAdapterProvider adapter={adapter}>
      <section aria-label={label} ref={frame}>
        <CodeHighlight
          code={code}
          language={language}
          radius="md"
          withBorder
          copyLabel={shared.copy}
          copiedLabel={shared.copied}
          withExpandButton={collapsed}
          defaultExpanded={!collapsed}
          maxCollapsedHeight={220}
          expandCodeLabel={shared.showAll}
          collapseCodeLabel={shared.showLess}
        />
      </section>
    </CodeHighlightAdapterProvider>
  )
}
