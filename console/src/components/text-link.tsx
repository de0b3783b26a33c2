import type { AnchorProps } from '@mantine/core'
import { Anchor } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

type Props = AnchorProps &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> & { ref?: Ref<HTMLAnchorElement> }

export const TextLink = createLink(function TextLinkBase(props: Props) {
  return <Anchor {...props} />
})
