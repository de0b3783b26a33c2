import { Anchor, Code, Paper, Stack, Text } from '@mantine/core'
import type { ServiceDetails } from '../../api/objects.ts'
import { servicePath } from '../../app/page-settings.ts'
import { MailForm } from './mail-form.tsx'
import { SignUpForm } from './sign-up-form.tsx'
import { text } from './text.ts'

export function OtherWays({ service }: { service: ServiceDetails | undefined }) {
  return (
    <Stack gap="md">
      {service?.mail === true && (
        <Paper p="lg">
          <MailForm />
        </Paper>
      )}
      {service?.mail === true && service.sign_up === 'open' && (
        <Paper p="lg">
          <SignUpForm />
        </Paper>
      )}
      <Text size="sm" c="dimmed" ta="center">
        {text.forFullAccess} <Code style={{ whiteSpace: 'nowrap' }}>{text.mediamillConsole}</Code> {text.createsAnother}{' '}
        <Anchor href={`${servicePath}docs`} inherit underline="always">
          {text.docs}
        </Anchor>
        .
      </Text>
    </Stack>
  )
}
