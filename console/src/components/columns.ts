/** A column of a table: its heading, and how its cells are shown. */
export type Column = string | { title: string; ta?: 'right'; visibleFrom?: 'sm'; isUnseen?: true }

/** A column that is hidden in narrow windows. */
export const wide = (title: string): Column => ({ title, visibleFrom: 'sm' })

export const number = (title: string): Column => ({ title, ta: 'right' })

export const wideNumber = (title: string): Column => ({ title, ta: 'right', visibleFrom: 'sm' })

/** A column whose heading is only read by screen readers. */
export const unseen = (title: string): Column => ({ title, isUnseen: true })
