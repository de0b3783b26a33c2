export type Operation = { type: string } & Record<string, unknown>

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isOperation = (value: unknown): value is Operation => isObject(value) && typeof value['type'] === 'string'
