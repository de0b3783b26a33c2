import { Anchor, Code, Paper, Stack, Text } from '@mantine/core'
import type { ServiceDetails } from '../../api/objects.ts'
import { servicePath } from '../../app/page-settings.ts'
import { MailForm } from './mail-form.tsx'
import { SignUpForm } from './sign-up-form.tsx'

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
        For full access, use a sign-in link. The service prints one at its first start, and{' '}
        <Code style={{ whiteSpace: 'nowrap' }}>mediamill console</Code> creates another. To learn more, read the{' '}
        <Anchor href={`${servicePath}docs`} inherit underline="always">
          docs
        </Anchor>
        .
      </Text>
    </Stack>
  )
}
