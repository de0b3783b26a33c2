import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { IconMoon, IconSun } from '@tabler/icons-react'

export function ThemeButton() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const other = scheme === 'dark' ? 'light' : 'dark'
  const Drawing = scheme === 'dark' ? IconSun : IconMoon
  return (
    <Tooltip label={`Use the ${other} theme`}>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={`Use the ${other} theme`}
        onClick={() => setColorScheme(other)}
      >
        <Drawing size={17} aria-hidden="true" />
      </ActionIcon>
    </Tooltip>
  )
}
