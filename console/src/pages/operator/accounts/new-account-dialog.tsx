import { Alert } from '@mantine/core'
import type { NewAccount } from '../../../api/objects.ts'
import { SecretField } from '../../../components/secret-field.tsx'
import { shared } from '../../../text.ts'
import { PersonDialog } from './person-dialog.tsx'
import { text } from './text.ts'

type Props = { opened: boolean; onClose: () => void }

export function NewAccountDialog({ opened, onClose }: Props) {
  return (
    <PersonDialog<NewAccount>
      opened={opened}
      onClose={onClose}
      title={text.newAccount}
      email={{ required: false, description: text.emailDescription }}
      submit={text.createAccount}
      path="/accounts"
      stale={['/accounts', '/audit']}
      done={{
        title: ({ account }) => text.accountCreated(account.id),
        button: text.iSavedThem,
        isKeptOpen: true,
        show: showKeys,
      }}
    />
  )
}

const showKeys = ({ live_key, test_key, webhook_secret }: NewAccount) => (
  <>
    <Alert>{text.copyKeysNow}</Alert>
    <SecretField label={shared.liveKey} value={live_key} />
    <SecretField label={shared.testKey} value={test_key} />
    <SecretField label={text.webhookSecret} value={webhook_secret} />
  </>
)
