import { Text } from '@mantine/core'
import type { Invitation } from '../../../api/objects.ts'
import { formatTime } from '../../../components/format.ts'
import { SecretField } from '../../../components/secret-field.tsx'
import { PersonDialog } from './person-dialog.tsx'

type Props = { opened: boolean; onClose: () => void }

export function InviteDialog({ opened, onClose }: Props) {
  return (
    <PersonDialog<Invitation>
      opened={opened}
      onClose={onClose}
      title="Invite a user"
      about="The user’s account is created when the user opens the link. Only the user sees its keys."
      email={{ required: true }}
      submit="Create invitation"
      path="/invitations"
      stale={['/audit']}
      made={{ title: () => 'Invitation created', done: 'Done', isKeptOpen: false, show: showInvitation }}
    />
  )
}

const showInvitation = ({ url, expires_at, mailed }: Invitation) => (
  <>
    <Text size="sm">
      {mailed
        ? 'The invitation was sent by email. If it does not arrive, send this link.'
        : 'No email was sent. Send the link over a private channel.'}
    </Text>
    <SecretField label="Invitation link" value={url} />
    <Text size="xs" c="dimmed">
      Works once, until {formatTime(expires_at)}.
    </Text>
  </>
)
