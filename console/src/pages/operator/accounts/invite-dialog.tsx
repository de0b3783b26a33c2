import { Text } from '@mantine/core'
import type { Invitation } from '../../../api/objects.ts'
import { SecretField } from '../../../components/secret-field.tsx'
import { When } from '../../../components/when.tsx'
import { shared } from '../../../text.ts'
import { PersonDialog } from './person-dialog.tsx'
import { text } from './text.ts'

type Props = { opened: boolean; onClose: () => void }

export function InviteDialog({ opened, onClose }: Props) {
  return (
    <PersonDialog<Invitation>
      opened={opened}
      onClose={onClose}
      title={text.inviteAUser}
      about={text.inviteAUserAbout}
      email={{ required: true }}
      submit={text.createInvitation}
      path="/invitations"
      stale={['/audit']}
      done={{ title: () => text.invitationCreated, button: shared.done, isKeptOpen: false, show: showInvitation }}
    />
  )
}

const showInvitation = ({ url, expires_at, mailed }: Invitation) => (
  <>
    <Text size="sm">{mailed ? text.invitationSent : text.invitationNotSent}</Text>
    <SecretField label={text.invitationLink} value={url} />
    <Text size="xs" c="dimmed">
      {text.worksOnceUntil} <When at={expires_at} exact />
    </Text>
  </>
)
