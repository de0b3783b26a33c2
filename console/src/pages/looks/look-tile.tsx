import { Button, Loader, Paper, Text } from '@mantine/core'
import { formatName } from '../../components/format.ts'
import { LinkButton } from '../../components/link-button.tsx'
import { lookImage } from '../playground/operations/look-images.ts'
import classes from './look-tile.module.css'
import type { Trial } from './trials-of.ts'
import type { TrialOutcome } from './use-trials.ts'

type Props = { trial: Trial; source: string; outcome: TrialOutcome | undefined; onMake: () => void }

/** A filter or an operation on the page of filters. Shows an example until the result for the user's image is ready. */
export function LookTile({ trial, source, outcome, onMake }: Props) {
  const { name, operation, format } = trial
  const shown = outcome?.state === 'made' ? outcome.url : lookImage(name)
  const title = formatName(name)
  return (
    <Paper className={classes['tile'] ?? ''} component="article" aria-label={title}>
      <div className={classes['picture']}>
        {shown !== undefined && <img src={shown} alt={outcome?.state === 'made' ? `${title} on your image` : ''} />}
        {shown === undefined && outcome?.state !== 'making' && (
          <Text size="xs" c="dimmed">
            Press Run
          </Text>
        )}
        {outcome?.state === 'making' && <Loader size="sm" aria-label={`Processing ${title}`} />}
      </div>
      <Text size="sm" fw={600} px="xs" pt={6}>
        {title}
      </Text>
      <Text size="xs" c={outcome?.state === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'} px="xs" lineClamp={3}>
        {outcome?.state === 'failed' ? outcome.message : outcome?.state === 'made' ? 'Your image' : 'Example'}
      </Text>
      <div className={classes['actions']}>
        <Button
          variant="default"
          size="compact-xs"
          onClick={onMake}
          loading={outcome?.state === 'making'}
          aria-label={`Run ${title}`}
        >
          Run
        </Button>
        <LinkButton
          variant="subtle"
          size="compact-xs"
          to="/playground"
          search={{ endpoint: 'images/process', source, operations: [{ type: 'orient' }, operation], format }}
          aria-label={`Open ${title} in the playground`}
        >
          Open
        </LinkButton>
      </div>
    </Paper>
  )
}
