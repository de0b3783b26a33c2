import { Button, Code, List, Text } from '@mantine/core'
import { Panel } from '../../../components/panel.tsx'
import { Problem } from '../../../components/problem.tsx'
import { text } from '../text.ts'
import { lineOf } from './earlier-call.ts'
import type { useEarlier } from './use-earlier.ts'

type Props = { earlier: ReturnType<typeof useEarlier>; isRequestRunning: boolean }

export function EarlierPanel({ earlier: { pending, isRunning, error, run }, isRequestRunning }: Props) {
  if (pending.length === 0) return null
  return (
    <Panel
      title={text.stepsBeforeThisRequest}
      about={text.stepsBeforeThisRequestAbout}
      actions={
        <Button
          variant="default"
          size="compact-sm"
          flex="none"
          loading={isRunning}
          disabled={isRequestRunning && !isRunning}
          onClick={() => void run().catch(() => undefined)}
        >
          {text.runTheseStepsNow}
        </Button>
      }
    >
      <List size="sm" listStyleType="none" spacing={4}>
        {pending.map((call) => (
          <List.Item key={call.variable}>
            <Text size="sm" span>
              {lineOf(call)}:
            </Text>{' '}
            <Code>${call.variable}</Code>
          </List.Item>
        ))}
      </List>
      {!isRequestRunning && <Problem error={error} />}
    </Panel>
  )
}
