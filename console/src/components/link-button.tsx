import type { ButtonProps } from '@mantine/core'
import { Button } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

type Props = ButtonProps &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> & { ref?: Ref<HTMLAnchorElement> }

export const LinkButton = createLink(function LinkButtonBase(props: Props) {
  return <Button component="a" {...props} />
})
