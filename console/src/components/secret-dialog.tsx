import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { CopyButton } from './copy-button.tsx'

type Props = { title: string; label: string; secret: string | undefined; children: ReactNode; onClose: () => void }

/** Shows what is shown only once. It is not left by accident: neither Escape nor a click beside it closes it. */
export function SecretDialog({ title, label, secret, children, onClose }: Props) {
  const [stored, setStored] = useState(false)
  const close = () => {
    setStored(false)
    onClose()
  }
  return (
    <Modal
      opened={secret !== undefined}
      onClose={close}
      title={title}
      size="lg"
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
    >
      <Stack gap="sm">
        <Text size="sm">{children}</Text>
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <TextInput
            label={label}
            value={secret ?? ''}
            readOnly
            flex={1}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            onFocus={(event) => event.currentTarget.select()}
          />
        </Group>
        <Group justify="space-between">
          <CopyButton text={secret ?? ''} />
          <Checkbox
            label="I have stored it"
            checked={stored}
            onChange={(event) => setStored(event.currentTarget.checked)}
          />
        </Group>
        <Button disabled={!stored} onClick={close}>
          Done
        </Button>
      </Stack>
    </Modal>
  )
}
