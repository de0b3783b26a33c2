import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { IconMoon, IconSun } from '@tabler/icons-react'
import { shared } from '../../text.ts'

export function ThemeButton() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const other = scheme === 'dark' ? 'light' : 'dark'
  const SchemeIcon = scheme === 'dark' ? IconSun : IconMoon
  return (
    <Tooltip label={shared.useTheme(other)}>
      <ActionIcon variant="default" size="lg" aria-label={shared.useTheme(other)} onClick={() => setColorScheme(other)}>
        <SchemeIcon size={17} aria-hidden="true" />
      </ActionIcon>
    </Tooltip>
  )
}
