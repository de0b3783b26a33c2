export type Column = string | { title: string; ta?: 'right'; visibleFrom?: 'sm'; isUnseen?: true }

export const wide = (title: string): Column => ({ title, visibleFrom: 'sm' })

export const number = (title: string): Column => ({ title, ta: 'right' })

export const wideNumber = (title: string): Column => ({ title, ta: 'right', visibleFrom: 'sm' })

/** A column with a heading that only screen readers read. */
export const unseen = (title: string): Column => ({ title, isUnseen: true })
