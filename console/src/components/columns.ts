export type Column = string | { title: string; ta?: 'right'; visibleFrom?: 'sm'; isUnseen?: true }

export const wide = (title: string): Column => ({ title, visibleFrom: 'sm' })

export const number = (title: string): Column => ({ title, ta: 'right' })

export const wideNumber = (title: string): Column => ({ title, ta: 'right', visibleFrom: 'sm' })

/** Only screen readers read the heading. */
export const unseen = (title: string): Column => ({ title, isUnseen: true })
