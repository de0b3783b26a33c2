import { IconCheck } from '@tabler/icons-react'
import type { Overview } from '../../api/objects.ts'
import { useSession } from '../../api/queries/session.ts'
import { Panel } from '../../components/panel.tsx'
import { TextLink } from '../../components/text-link.tsx'
import classes from './first-steps.module.css'

type Steps = Overview['steps']

const STEPS: { step: keyof Steps; title: string; about: string; to: string; link: string; owners?: boolean }[] = [
  {
    step: 'first_request',
    title: 'Send a first request',
    about: 'Try operations on a picture of yours, free in test mode.',
    to: '/playground',
    link: 'Open the playground',
  },
  {
    step: 'key_used',
    title: 'Call it from your program',
    about: 'Make a key; the playground writes the code for it.',
    to: '/keys',
    link: 'Make a key',
    owners: true,
  },
  {
    step: 'webhook_set',
    title: 'Hear when requests end',
    about: 'Name an address that signed events are posted to.',
    to: '/webhooks',
    link: 'Set the webhook',
    owners: true,
  },
]

/** The three things to do first; each is ticked as it happens, and all of it goes when all are done. */
export function FirstSteps({ steps }: { steps: Steps }) {
  const { kind } = useSession()
  if (STEPS.every(({ step }) => steps[step])) return null
  return (
    <Panel title="First steps">
      <ol className={classes['steps']}>
        {STEPS.map(({ step, title, about, to, link, owners }, index) => (
          <li key={step} data-done={steps[step] || undefined}>
            <span className={classes['mark']}>
              {steps[step] ? <IconCheck size={16} stroke={2.4} aria-label="Done" /> : index + 1}
            </span>
            <div>
              <strong>{title}</strong>
              <p>{about}</p>
              {!steps[step] && (owners !== true || kind !== 'key') && (
                <TextLink to={to} size="sm" fw={550} underline="always">
                  {link}
                </TextLink>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
