import { Button, Loader, Paper, Text } from '@mantine/core'
import { formatName } from '../../components/format.ts'
import { LinkButton } from '../../components/link-button.tsx'
import { lookImage } from '../playground/operations/look-images.ts'
import classes from './filter-tile.module.css'
import { text } from './text.ts'
import type { Trial } from './trials-of.ts'
import type { TrialOutcome } from './use-trials.ts'

type Props = { trial: Trial; source: string; outcome: TrialOutcome | undefined; onRun: () => void }

export function FilterTile({ trial, source, outcome, onRun }: Props) {
  const { name, operation, format } = trial
  const shown = outcome?.state === 'succeeded' ? outcome.url : lookImage(name)
  const title = formatName(name)
  return (
    <Paper className={classes['tile'] ?? ''} component="article" aria-label={title}>
      <div className={classes['picture']}>
        {shown !== undefined && (
          <img src={shown} alt={outcome?.state === 'succeeded' ? text.resultOnYourImage(title) : ''} />
        )}
        {shown === undefined && outcome?.state !== 'running' && (
          <Text size="xs" c="dimmed">
            {text.pressRun}
          </Text>
        )}
        {outcome?.state === 'running' && <Loader size="sm" aria-label={text.processing(title)} />}
      </div>
      <Text size="sm" fw={600} px="xs" pt={6}>
        {title}
      </Text>
      <Text size="xs" c={outcome?.state === 'failed' ? 'var(--mantine-color-error)' : 'dimmed'} px="xs" lineClamp={3}>
        {outcome?.state === 'failed' ? outcome.message : outcome?.state === 'succeeded' ? text.yourImage : text.example}
      </Text>
      <div className={classes['actions']}>
        <Button
          variant="default"
          size="compact-xs"
          onClick={onRun}
          loading={outcome?.state === 'running'}
          aria-label={text.runOne(title)}
        >
          {text.run}
        </Button>
        <LinkButton
          variant="subtle"
          size="compact-xs"
          to="/playground"
          search={{ endpoint: 'images/process', source, operations: [{ type: 'orient' }, operation], format }}
          aria-label={text.openInPlayground(title)}
        >
          {text.open}
        </LinkButton>
      </div>
    </Paper>
  )
}
