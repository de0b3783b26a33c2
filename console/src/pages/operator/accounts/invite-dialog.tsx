import { Text } from '@mantine/core'
import type { Invitation } from '../../../api/objects.ts'
import { formatTime } from '../../../components/format.ts'
import { SecretField } from '../../../components/secret-field.tsx'
import { PersonDialog } from './person-dialog.tsx'

type Props = { opened: boolean; onClose: () => void }

/** Makes a link by which somebody opens an account of their own, and mails it where the service sends mail. */
export function InviteDialog({ opened, onClose }: Props) {
  return (
    <PersonDialog<Invitation>
      opened={opened}
      onClose={onClose}
      title="Invite somebody"
      about="The account is opened when they follow the link: nobody else sees its keys."
      email={{ required: true }}
      submit="Make the invitation"
      path="/invitations"
      stale={['/audit']}
      made={{ title: () => 'The invitation is made', done: 'Done', isKeptOpen: false, show: showInvitation }}
    />
  )
}

const showInvitation = ({ url, expires_at, mailed }: Invitation) => (
  <>
    <Text size="sm">
      {mailed
        ? 'It is on its way by mail. This is the same link, should the mail not come.'
        : 'No mail was sent: the service has no mail server. Send the link on a way that only they read.'}
    </Text>
    <SecretField label="Invitation link" value={url} />
    <Text size="xs" c="dimmed">
      Opens the account once, until {formatTime(expires_at)}.
    </Text>
  </>
)
