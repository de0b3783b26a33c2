import { IconCheck } from '@tabler/icons-react'
import type { Overview } from '../../api/objects.ts'
import { useSession } from '../../api/queries/session.ts'
import { Panel } from '../../components/panel.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { shared } from '../../text.ts'
import classes from './first-steps.module.css'
import { text } from './text.ts'

type Steps = Overview['steps']

const STEPS: { step: keyof Steps; title: string; about: string; to: string; link: string; owners?: boolean }[] = [
  {
    step: 'first_request',
    title: text.sendYourFirstRequest,
    about: text.sendYourFirstRequestAbout,
    to: '/playground',
    link: text.openThePlayground,
  },
  {
    step: 'key_used',
    title: text.callTheApi,
    about: text.callTheApiAbout,
    to: '/keys',
    link: text.createAKey,
    owners: true,
  },
  {
    step: 'webhook_set',
    title: text.getNotified,
    about: text.getNotifiedAbout,
    to: '/webhooks',
    link: text.setAWebhook,
    owners: true,
  },
]

export function FirstSteps({ steps }: { steps: Steps }) {
  const { kind } = useSession()
  if (STEPS.every(({ step }) => steps[step])) return null
  return (
    <Panel title={text.firstSteps}>
      <ol className={classes['steps']}>
        {STEPS.map(({ step, title, about, to, link, owners }, index) => (
          <li key={step} data-done={steps[step] || undefined}>
            <span className={classes['mark']}>
              {steps[step] ? <IconCheck size={16} stroke={2.4} aria-label={shared.done} /> : index + 1}
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
