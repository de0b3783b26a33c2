import { Anchor, Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { CallError } from '../../api/call-error.ts'
import type { Template } from '../../api/objects.ts'
import { useChange } from '../../api/use-api.ts'
import { servicePath } from '../../app/page-settings.ts'
import { Problem } from '../../components/problem.tsx'
import { shared } from '../../text.ts'
import { text } from './text.ts'

type FormProps = {
  first: string
  submit: string
  onClose: () => void
  onSaved: (template: Template) => void
}

export function TemplateDialog({ opened, title, ...form }: FormProps & { opened: boolean; title: string }) {
  return (
    <Modal opened={opened} onClose={form.onClose} title={title} size="lg">
      <TemplateForm {...form} />
    </Modal>
  )
}

function TemplateForm({ first, submit, onClose, onSaved }: FormProps) {
  const [json, setJson] = useState(first)
  const [invalid, setInvalid] = useState<string>()
  const save = useChange<Template>({
    stale: ['/templates'],
    showsErrors: false,
    onDone(template) {
      notifications.show({ message: text.saved(template.id), color: 'mill' })
      onClose()
      onSaved(template)
    },
  })
  const messages =
    invalid !== undefined
      ? [invalid]
      : save.error instanceof CallError
        ? save.error.problems.map(({ message }) => message)
        : []
  const send = () => {
    const { body, reason } = parse(json)
    setInvalid(reason === undefined ? undefined : text.mustBeJson(reason))
    if (reason === undefined) save.mutate({ method: 'POST', path: '/templates', body })
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      noValidate
    >
      <Stack gap="md">
        {messages.length === 0 && <Problem error={save.error} />}
        <Textarea
          label={text.json}
          description={text.jsonDescription}
          autosize
          minRows={12}
          maxRows={22}
          spellCheck={false}
          data-autofocus
          styles={{ input: INPUT }}
          value={json}
          onChange={({ currentTarget: { value } }) => setJson(value)}
          error={
            messages.length > 0 &&
            messages.map((message) => (
              <Text key={message} component="span" inherit display="block" style={{ overflowWrap: 'anywhere' }}>
                {message}
              </Text>
            ))
          }
        />
        <Group justify="space-between">
          <Anchor size="sm" href={`${servicePath}docs/reference/templates`} target="_blank" rel="noreferrer">
            {text.aboutTemplates}
          </Anchor>
          <Group gap="xs" ml="auto">
            <Button variant="default" onClick={onClose}>
              {shared.cancel}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {submit}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  )
}

const INPUT = {
  fontFamily: 'var(--mantine-font-family-monospace)',
  fontSize: 'var(--mantine-font-size-xs)',
  lineHeight: 1.6,
  // An error colors only the border: a page of red JSON would be hard to read.
  color: 'var(--mantine-color-text)',
}

/** Parses JSON. For invalid JSON, returns the browser's reason, without a final period. */
function parse(json: string): { body?: unknown; reason?: string } {
  try {
    return { body: JSON.parse(json) as unknown }
  } catch (error) {
    return { reason: (error instanceof Error ? error.message : String(error)).replace(/\.$/, '') }
  }
}
