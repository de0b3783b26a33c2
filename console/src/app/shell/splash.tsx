import { Center, Loader, Stack } from '@mantine/core'
import { Brand } from '../../components/brand.tsx'
import { shared } from '../../text.ts'

export function Splash() {
  return (
    <Center component="main" h="100dvh" aria-busy="true">
      <Stack align="center" gap="lg">
        <Brand />
        <Loader type="dots" aria-label={shared.loading} />
      </Stack>
    </Center>
  )
}
