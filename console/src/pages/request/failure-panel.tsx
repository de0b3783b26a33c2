import { Alert, Anchor, Code, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { MediaRequest } from '../../api/objects.ts'
import { text } from './text.ts'

type Failed = Extract<MediaRequest, { status: 'failed' }>

export function FailurePanel({ request: { error } }: { request: Failed }) {
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle size={18} aria-hidden="true" />}
      title={<Code fz="sm">{error.code}</Code>}
    >
      <Text size="sm">{error.message}</Text>
      {error.operation !== undefined && (
        <Text size="sm" mt={4}>
          {text.operationFailed(error.operation + 1)}
        </Text>
      )}
      <Anchor size="sm" c="inherit" href={error.doc_url} target="_blank" rel="noreferrer" underline="always">
        {text.howToFixThisError}
      </Anchor>
    </Alert>
  )
}
