import { Alert, Anchor, Button, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { CallError, canRetry, messageOf } from '../api/call-error.ts'
import { shared } from '../text.ts'

export function Problem({ error, again }: { error: unknown; again?: (() => unknown) | undefined }) {
  if (error === null || error === undefined) return null
  const helps = again !== undefined && canRetry(error)
  const docUrl = error instanceof CallError ? error.docUrl : undefined
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} aria-hidden="true" />} role="alert" my="xs">
      <Text size="sm">{messageOf(error)}</Text>
      <Group gap="sm" mt={!helps && docUrl === undefined ? 0 : 6}>
        {helps && (
          <Button size="compact-sm" variant="default" onClick={() => void again()}>
            {shared.tryAgain}
          </Button>
        )}
        {docUrl !== undefined && (
          <Anchor size="sm" c="inherit" href={docUrl} target="_blank" rel="noreferrer" underline="always">
            {shared.aboutThisError}
          </Anchor>
        )}
      </Group>
    </Alert>
  )
}
