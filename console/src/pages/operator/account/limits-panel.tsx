import { Button, NumberInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { messagesByField } from '../../../api/call-error.ts'
import type { OperatedAccount } from '../../../api/objects.ts'
import { useChange } from '../../../api/use-api.ts'
import { formatCount } from '../../../components/format.ts'
import { Panel } from '../../../components/panel.tsx'
import { Problem } from '../../../components/problem.tsx'
import { text } from './text.ts'

const FIELDS = [
  { name: 'requests_per_minute', label: text.callsAMinute, unit: 1, suffix: '', format: formatCount },
  { name: 'concurrent_requests', label: text.concurrentRequests, unit: 1, suffix: '', format: formatCount },
  { name: 'max_source_bytes', label: text.largestSource, unit: 1024 ** 2, suffix: text.mb, format: formatBytes },
] as const

/** Converts limits, in bytes, to the values of the form, in the units of the fields. An empty field has no limit. */
const valuesOf = (limits: OperatedAccount['own_limits']): Record<string, number | string> =>
  Object.fromEntries(
    FIELDS.map(({ name, unit }) => {
      const limit = limits[name]
      return [name, limit === null ? '' : limit / unit]
    }),
  )

const limitsOf = (values: Record<string, number | string>) =>
  Object.fromEntries(
    FIELDS.map(({ name, unit }) => [name, values[name] === '' ? null : Math.round(Number(values[name]) * unit)]),
  )

/** A form for the limits of an account. They apply to live keys, and replace the limits of the account's tier. */
export function LimitsPanel({ account }: { account: OperatedAccount }) {
  const { own_limits, limits } = account
  const form = useForm({ initialValues: valuesOf(own_limits) })
  const save = useChange({ stale: ['/accounts', '/audit'], done: text.savedTheLimits, showsErrors: false })
  const problems = messagesByField(save.error, 'limits')
  return (
    <Panel title={text.limits} about={text.limitsAbout}>
      <form
        noValidate
        onSubmit={form.onSubmit((values) =>
          save.mutate({
            method: 'PATCH',
            path: `/accounts/${String(account.id)}`,
            body: { limits: limitsOf(values) },
          }),
        )}
      >
        <Stack gap="sm">
          {Object.keys(problems).length === 0 && <Problem error={save.error} />}
          {FIELDS.map(({ name, label, unit, suffix, format }) => (
            <NumberInput
              key={name}
              label={label}
              placeholder={format(limits[name])}
              suffix={suffix}
              min={1}
              clampBehavior="none"
              allowNegative={false}
              allowDecimal={unit > 1}
              decimalScale={3}
              thousandSeparator=","
              {...form.getInputProps(name)}
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
