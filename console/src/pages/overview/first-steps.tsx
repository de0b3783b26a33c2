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
    title: 'Send your first request',
    about: 'Try operations on your own image, free in test mode.',
    to: '/playground',
    link: 'Open the playground',
  },
  {
    step: 'key_used',
    title: 'Call the API from your program',
    about: 'Create a key. The playground generates the code.',
    to: '/keys',
    link: 'Create a key',
    owners: true,
  },
  {
    step: 'webhook_set',
    title: 'Get notified when requests finish',
    about: 'Set a webhook URL that receives signed events.',
    to: '/webhooks',
    link: 'Set a webhook',
    owners: true,
  },
]

/** A list of tasks for a new user. The panel disappears when all tasks are done. */
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
