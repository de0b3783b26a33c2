import { Anchor, Code, Paper, Stack, Text } from '@mantine/core'
import type { ServiceFacts } from '../../api/objects.ts'
import { servicePath } from '../../app/page-settings.ts'
import { MailForm } from './mail-form.tsx'
import { SignUpForm } from './sign-up-form.tsx'

/** What else leads in: mail and sign-up where the service has them, and the operator's command. */
export function OtherWays({ service }: { service: ServiceFacts | undefined }) {
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
        With a sign-in link you can do everything: the service prints one at its first start, and{' '}
        <Code style={{ whiteSpace: 'nowrap' }}>mediamill console</Code> makes another. What the service does stands in
        its{' '}
        <Anchor href={`${servicePath}docs`} inherit underline="always">
          docs
        </Anchor>
        .
      </Text>
    </Stack>
  )
}
