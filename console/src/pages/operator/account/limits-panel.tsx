import { Button, NumberInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { messagesByField } from '../../../api/call-error.ts'
import type { OperatedAccount } from '../../../api/objects.ts'
import { useChange } from '../../../api/use-api.ts'
import { formatCount } from '../../../components/format.ts'
import { Panel } from '../../../components/panel.tsx'
import { Problem } from '../../../components/problem.tsx'
import { text } from './text.ts'

const FIELDS = [
  ['requests_per_minute', text.callsAMinute],
  ['concurrent_requests', text.concurrentRequests],
  ['max_source_bytes', text.largestSourceInBytes],
] as const

/** A form for the limits of an account. They apply to live keys, and replace the limits of the account's tier. */
export function LimitsPanel({ account }: { account: OperatedAccount }) {
  const { own_limits, limits } = account
  const form = useForm({ initialValues: { ...own_limits } })
  const save = useChange({ stale: ['/accounts', '/audit'], done: text.savedTheLimits, showsErrors: false })
  const problems = messagesByField(save.error, 'limits')
  return (
    <Panel title={text.limits} about={text.limitsAbout}>
      <form
        noValidate
        onSubmit={form.onSubmit((values) =>
          save.mutate({ method: 'PATCH', path: `/accounts/${String(account.id)}`, body: { limits: values } }),
        )}
      >
        <Stack gap="sm">
          {Object.keys(problems).length === 0 && <Problem error={save.error} />}
          {FIELDS.map(([name, label]) => (
            <NumberInput
              key={name}
              label={label}
              placeholder={formatCount(limits[name])}
              min={1}
              clampBehavior="none"
              allowDecimal={false}
              thousandSeparator=","
              value={form.values[name] ?? ''}
              onChange={(value) => form.setFieldValue(name, typeof value === 'number' ? value : null)}
              error={problems[name]}
            />
          ))}
          <Button type="submit" variant="default" loading={save.isPending}>
            {text.saveLimits}
          </Button>
        </Stack>
      </form>
    </Panel>
  )
}
