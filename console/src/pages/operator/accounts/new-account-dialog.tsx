import { Alert } from '@mantine/core'
import type { NewAccount } from '../../../api/objects.ts'
import { SecretField } from '../../../components/secret-field.tsx'
import { PersonDialog } from './person-dialog.tsx'

type Props = { opened: boolean; onClose: () => void }

export function NewAccountDialog({ opened, onClose }: Props) {
  return (
    <PersonDialog<NewAccount>
      opened={opened}
      onClose={onClose}
      title="New account"
      email={{ required: false, description: 'For sign-in links.' }}
      submit="Create account"
      path="/accounts"
      stale={['/accounts', '/audit']}
      made={{
        title: ({ account }) => `Account ${String(account.id)} was created`,
        done: 'I saved them',
        isKeptOpen: true,
        show: showKeys,
      }}
    />
  )
}

const showKeys = ({ live_key, test_key, webhook_secret }: NewAccount) => (
  <>
    <Alert>Copy the keys now: they are not shown again.</Alert>
    <SecretField label="Live key" value={live_key} />
    <SecretField label="Test key" value={test_key} />
    <SecretField label="Webhook secret" value={webhook_secret} />
  </>
)
