import { Alert } from '@mantine/core'
import type { NewAccount } from '../../../api/objects.ts'
import { SecretField } from '../../../components/secret-field.tsx'
import { PersonDialog } from './person-dialog.tsx'

type Props = { opened: boolean; onClose: () => void }

/** Opens an account, and shows its keys this once. */
export function NewAccountDialog({ opened, onClose }: Props) {
  return (
    <PersonDialog<NewAccount>
      opened={opened}
      onClose={onClose}
      title="New account"
      email={{ required: false, description: 'Where sign-in links can be sent.' }}
      submit="Create account"
      path="/accounts"
      stale={['/accounts', '/audit']}
      made={{
        title: ({ account }) => `Account ${String(account.id)} is open`,
        done: 'I have stored them',
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
