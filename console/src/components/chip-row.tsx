import classes from './chip-row.module.css'

type Props<Value extends string> = {
  label: string
  options: readonly (readonly [Value, string])[]
  value: Value
  onChange: (value: Value) => void
}

export function ChipRow<Value extends string>({ label, options, value, onChange }: Props<Value>) {
  return (
    <fieldset className={classes['row']}>
      <legend className={classes['legend']}>{label}</legend>
      {options.map(([option, text]) => (
        <button
          key={option}
          type="button"
          className={classes['chip']}
          aria-pressed={option === value}
          onClick={() => onChange(option)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  )
}
