import { Radio, Text } from '@mantine/core'
import { text } from '../text.ts'
import { lookImage } from './look-images.ts'
import classes from './look-picker.module.css'

type Props = { names: string[]; value: string; onChange: (name: string) => void }

export function LookPicker({ names, value, onChange }: Props) {
  return (
    <Radio.Group label={text.filter} size="xs" value={value} onChange={onChange}>
      <div className={classes['looks']}>
        {names.map((name) => (
          <Radio.Card key={name} value={name} className={classes['look'] ?? ''} aria-label={name}>
            <img src={lookImage(name)} alt="" width={72} height={54} loading="lazy" />
            <Text size="xs" ta="center" component="span">
              {name}
            </Text>
          </Radio.Card>
        ))}
      </div>
    </Radio.Group>
  )
}
