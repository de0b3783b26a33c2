import { Alert, Button, Group, Text } from '@mantine/core'
import type { LedgerCheck } from '../../../api/objects.ts'
import { useChange } from '../../../api/use-api.ts'
import { formatMoney } from '../../../components/format.ts'
import { Panel } from '../../../components/panel.tsx'
import { text } from './text.ts'

export function VerifyPanel() {
  const verify = useChange<LedgerCheck>()
  const found = verify.data
  return (
    <Panel title={text.ledgerVerification}>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" maw={560}>
          {text.ledgerVerificationAbout}
        </Text>
        <Button
          variant="default"
          loading={verify.isPending}
          onClick={() => verify.mutate({ method: 'POST', path: '/ledger/verify' })}
        >
          {text.verifyTheLedger}
        </Button>
      </Group>
      {found !== undefined && (
        <Alert
          mt="sm"
          role="status"
          color={found.agrees ? 'mill' : 'red'}
          title={found.agrees ? text.noDifferences : text.differencesFound}
        >
          {found.agrees ? (
            text.noDifferencesAbout
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
                <li key={request}>{text.mischarged(request, formatMoney(price), formatMoney(charged))}</li>
              ))}
            </ul>
          )}
          {found.overdrawn.length > 0 && (
            <Text size="sm" mt="xs">
              {text.overdrawn(
                found.overdrawn
                  .map(({ account, balance }) => text.overdrawnAccount(account, formatMoney(balance)))
                  .join(', '),
              )}
            </Text>
          )}
        </Alert>
      )}
    </Panel>
  )
}
