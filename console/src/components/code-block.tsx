import '@mantine/code-highlight/styles.css'
import './code-colors.css'
import { CodeHighlight, CodeHighlightAdapterProvider, createHighlightJsAdapter } from '@mantine/code-highlight'
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'

hljs.registerLanguage('bash', bash)
hljs.registerLanguage('json', json)
hljs.registerLanguage('python', python)
hljs.registerLanguage('typescript', typescript)

const adapter = createHighlightJsAdapter(hljs)

type Props = { code: string; language: 'bash' | 'json' | 'python' | 'typescript'; label: string }

/** Code in colours, to be copied. */
export function CodeBlock({ code, language, label }: Props) {
  return (
    <CodeHighlightAdapterProvider adapter={adapter}>
      <section aria-label={label}>
        <CodeHighlight code={code} language={language} radius="md" withBorder copyLabel="Copy" copiedLabel="Copied" />
      </section>
    </CodeHighlightAdapterProvider>
  )
}
