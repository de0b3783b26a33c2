import { Button, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { shared } from '../text.ts'
import { SecretField } from './secret-field.tsx'

type Props = {
  title: string
  label: string
  secret: string | undefined
  /** Whether the secret is shown only once. If so, Escape or a click outside the dialog does not close it. */
  once?: boolean
  children: ReactNode
  onClose: () => void
}

export function SecretDialog({ title, label, secret, once = false, children, onClose }: Props) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title={title}
      size="lg"
      closeOnEscape={!once}
      closeOnClickOutside={!once}
      withCloseButton={!once}
    >
      <Stack gap="sm">
        <Text size="sm">{children}</Text>
        <SecretField label={label} value={secret ?? ''} />
        <Button onClick={onClose}>{once ? shared.iSavedIt : shared.done}</Button>
      </Stack>
    </Modal>
  )
}
