import { Alert, Button, Group, Text } from '@mantine/core'
import type { LedgerCheck } from '../../../api/objects.ts'
import { useChange } from '../../../api/use-api.ts'
import { formatMoney } from '../../../components/format.ts'
import { Panel } from '../../../components/panel.tsx'

export function VerifyPanel() {
  const verify = useChange<LedgerCheck>()
  const found = verify.data
  return (
    <Panel title="Ledger verification">
      <Group justify="space-between">
        <Text size="sm" c="dimmed" maw={560}>
          Recalculates every balance, hold, and charge from the ledger and lists any difference.
        </Text>
        <Button
          variant="default"
          loading={verify.isPending}
          onClick={() => verify.mutate({ method: 'POST', path: '/ledger/verify' })}
        >
          Verify the ledger
        </Button>
      </Group>
      {found !== undefined && (
        <Alert
          mt="sm"
          role="status"
          color={found.agrees ? 'mill' : 'red'}
          title={found.agrees ? 'No differences' : 'Differences found'}
        >
          {found.agrees ? (
            'Every balance is the sum of its ledger entries, and every price was charged once.'
          ) : (
            <ul style={{ margin: 0, paddingLeft: 18 }}>
              {found.differences.map((difference) => (
                <li key={JSON.stringify(difference)}>
                  {Object.entries(difference)
                    .map(([name, value]) => `${name} ${String(value)}`)
                    .join(', ')}
                </li>
              ))}
              {found.mischarged.map(({ request, price, charged }) => (
                <li key={request}>
                  Request {request}: the price is {formatMoney(price)}, but the charge is {formatMoney(charged)}
                </li>
              ))}
            </ul>
          )}
          {found.overdrawn.length > 0 && (
            <Text size="sm" mt="xs">
              Overdrawn:{' '}
              {found.overdrawn
                .map(({ account, balance }) => `account ${String(account)} (${formatMoney(balance)})`)
                .join(', ')}
            </Text>
          )}
        </Alert>
      )}
    </Panel>
  )
}
