import type { Command } from 'commander'
import { Argument } from 'commander'
import { commandTree } from '../completion/command-tree.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

export function register(program: Command): void {
  const command = program
    .command('completion')
    .description('Print a completion script for a shell.')
    .addArgument(new Argument('<shell>', 'shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  mediamill completion bash > ~/.local/share/bash-completion/completions/mediamill
  mediamill completion zsh > ~/.zfunc/_mediamill      (with fpath=(~/.zfunc $fpath) before compinit)
  mediamill completion fish > ~/.config/fish/completions/mediamill.fish`,
    )
    .action(async (shell: (typeof SHELLS)[number]) => {
      const tree = commandTree(rootOf(command))
      process.stdout.write(await scriptOf(shell, tree))
    })
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent)
}

async function scriptOf(shell: (typeof SHELLS)[number], tree: ReturnType<typeof commandTree>): Promise<string> {
  switch (shell) {
    case 'bash':
      return (await import('../completion/bash.ts')).bashScript(tree)
    case 'zsh':
      return (await import('../completion/zsh.ts')).zshScript(tree)
    case 'fish':
      return (await import('../completion/fish.ts')).fishScript(tree)
  }
}
