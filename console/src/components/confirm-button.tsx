import type { ButtonProps } from '@mantine/core'
import { Button, Group, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { shared } from '../text.ts'

type Props = Omit<ButtonProps, 'children'> & {
  label: string
  question: string
  children: ReactNode
  confirm: string
  onConfirm: () => void
}

export function ConfirmButton({ label, question, children, confirm, onConfirm, ...look }: Props) {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" {...look} onClick={open}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={question}>
        <Text size="sm">{children}</Text>
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={close}>
            {shared.cancel}
          </Button>
          <Button
            color="red.8"
            onClick={() => {
              onConfirm()
              close()
            }}
          >
            {confirm}
          </Button>
        </Group>
      </Modal>
    </>
  )
}
