import type { CSSVariablesResolver, MantineColorsTuple } from '@mantine/core'
import { Alert, Badge, Button, Card, createTheme, Modal, Paper, Table, TextInput, Tooltip } from '@mantine/core'
import { shared } from '../text.ts'

const mill: MantineColorsTuple = [
  '#eef9f4',
  '#d8f0e5',
  '#b0e0cb',
  '#83cfae',
  '#5dbf95',
  '#3fae81',
  '#2b9169',
  '#1f7a5c',
  '#186349',
  '#0f4836',
]

const dark: MantineColorsTuple = [
  '#dfe5e2',
  '#bcc5c1',
  '#9aa5a0',
  '#6d7873',
  '#3d4743',
  '#2f3835',
  '#222a27',
  '#171d1b',
  '#121816',
  '#0c110f',
]

const FONT = "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif"

export const theme = createTheme({
  primaryColor: 'mill',
  primaryShade: { light: 7, dark: 7 },
  colors: { mill, dark },
  fontFamily: FONT,
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, monospace",
  headings: { fontFamily: FONT, fontWeight: '640', sizes: { h1: { fontSize: '1.5rem', lineHeight: '1.25' } } },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  focusRing: 'auto',
  components: {
    Paper: Paper.extend({ defaultProps: { withBorder: true, radius: 'md' } }),
    Card: Card.extend({ defaultProps: { withBorder: true, radius: 'md', padding: 'md' } }),
    Button: Button.extend({ defaultProps: { size: 'sm' } }),
    Badge: Badge.extend({ defaultProps: { variant: 'light', radius: 'sm' } }),
    Table: Table.extend({ defaultProps: { verticalSpacing: 'xs', highlightOnHover: true } }),
    Tooltip: Tooltip.extend({ defaultProps: { withArrow: true, openDelay: 200 } }),
    Modal: Modal.extend({ defaultProps: { centered: true, closeButtonProps: { 'aria-label': shared.close } } }),
    Alert: Alert.extend({ defaultProps: { variant: 'light' } }),
    TextInput: TextInput.extend({ defaultProps: { autoComplete: 'off' } }),
  },
})

/** Replaces colors of Mantine, whose grays for secondary text have less contrast than WCAG requires. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': '#56615c',
    '--mantine-color-placeholder': '#68726d',
    '--mantine-color-error': '#b42318',
    '--mantine-color-default-border': '#d9dfdc',
    '--mantine-color-anchor': '#186349',
    '--mantine-color-mill-light-color': '#14543e',
  },
  dark: {
    '--mantine-color-dimmed': '#a3aea9',
    '--mantine-color-placeholder': '#98a39e',
    '--mantine-color-error': '#ff9b91',
    '--mantine-color-red-light': 'rgb(255 107 94 / 13%)',
    '--mantine-color-red-light-color': '#ffb4ab',
    '--mantine-color-default-border': '#2f3835',
    '--mantine-color-anchor': '#6fd0a8',
    '--mantine-color-mill-light-color': '#83cfae',
  },
})
