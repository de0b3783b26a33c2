import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { TemplateDialog } from '../../templates/template-dialog.tsx'
import { text } from '../text.ts'

type Call = { endpoint: string; body: Record<string, unknown> }

/** A button that opens a dialog with the current settings as the JSON of a template. */
export function SaveTemplate({ endpoint, body }: Call) {
  const [opened, { open, close }] = useDisclosure(false)
  const navigate = useNavigate()
  return (
    <>
      <Button variant="default" size="compact-sm" flex="none" onClick={open}>
        {text.saveAsTemplate}
      </Button>
      <TemplateDialog
        opened={opened}
        title={text.saveAsTemplate}
        first={JSON.stringify(templateOf({ endpoint, body }), null, 2)}
        submit={text.saveTemplate}
        onClose={close}
        onSaved={({ name }) => void navigate({ to: '/templates/$name', params: { name } })}
      />
    </>
  )
}

/** Returns the body of a new template. Variables replace uploads and text watermarks, which expire after a day. */
function templateOf({ endpoint, body: { source: _source, ...fields } }: Call): Record<string, unknown> {
  const names = new Map<string, string>()
  const parts = JSON.parse(JSON.stringify(fields), (key, item: unknown) => {
    if (key === 'destination') return undefined
    if (key !== 'image_url' || typeof item !== 'string' || item.startsWith('http')) return item
    const name = names.get(item) ?? (names.size === 0 ? 'image_url' : `image_url_${String(names.size + 1)}`)
    names.set(item, name)
    return { variable: name }
  }) as Record<string, unknown>
  const variables = Object.fromEntries([...names.values()].map((name) => [name, { type: 'string' }]))
  return { name: 'my-template', endpoint, ...parts, ...(names.size === 0 ? {} : { variables }) }
}
