export const LANGUAGES = ['curl', 'ts', 'python', 'json'] as const
export type Language = (typeof LANGUAGES)[number]
