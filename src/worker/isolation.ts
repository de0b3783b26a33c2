/** How to start an engine: an environment that holds nothing of ours, and a command that puts the walls around it. */
export type EngineCommand = { file: string; args: string[]; environment: Record<string, string> }

export type Isolation = {
  tier: 'process'
  command(engine: { entry: string; folder: string }): EngineCommand
}

export const plainIsolation = (): Isolation => ({
  tier: 'process',
  command: ({ entry }) => ({ file: process.execPath, args: [entry], environment: {} }),
})
