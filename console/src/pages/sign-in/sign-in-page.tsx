import { Box, Paper, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useServiceDetails } from '../../api/queries/session.ts'
import { ThemeButton } from '../../app/shell/theme-button.tsx'
import { Brand } from '../../components/brand.tsx'
import { KeyForm } from './key-form.tsx'
import { LinkForm } from './link-form.tsx'
import { OtherWays } from './other-ways.tsx'
import classes from './sign-in-page.module.css'
import { text } from './text.ts'
import { useSignIn } from './use-sign-in.ts'

type Props = { token: string | undefined; onSignedIn: () => void }

export function SignInPage({ token, onSignedIn }: Props) {
  useDocumentTitle(text.windowTitle)
  const signIn = useSignIn(onSignedIn)
  const { data: service } = useServiceDetails()
  return (
    <main className={classes['page']}>
      <Box className={classes['corner']}>
        <ThemeButton />
      </Box>
      <Stack w="100%" maw={420} gap="lg">
        <Stack gap={6} align="center" ta="center">
          <Brand />
          <Title order={1} mt="sm">
            {text.signIn}
          </Title>
          <Text c="dimmed" size="sm">
            {text.signInAbout}
          </Text>
        </Stack>
        <Paper p="lg" shadow="sm">
          {token !== undefined && <LinkForm token={token} signIn={signIn} onForget={onSignedIn} />}
          {token === undefined && <KeyForm signIn={signIn} />}
        </Paper>
        {token === undefined && <OtherWays service={service} />}
      </Stack>
    </main>
  )
}
