import { readFileSync } from 'node:fs'
import { type Copy, DockerfileParser, type Env, type From, type JSONInstruction } from 'dockerfile-ast'

type Step =
  | { kind: 'run'; command: string }
  /** `from`: the stage it comes from; null for the project's folder. */
  | { kind: 'copy'; from: string | null; sources: string[]; to: string }
  | { kind: 'folder'; path: string }

export type Stage = {
  base: string
  name: string | null
  steps: Step[]
  user: string | null
  env: Record<string, string>
  /** What the build may be told, and what holds otherwise. */
  args: Record<string, string>
  /** In exec form: a shell in between would swallow the signals. Empty when there is none, or it has another form. */
  entrypoint: string[]
  command: string[]
  health: string[]
}

/** What the Dockerfile says, stage by stage. @throws Error for an instruction that is not known here */
export function readSteps(dockerfile: string): Stage[] {
  const stages: Stage[] = []
  for (const instruction of DockerfileParser.parse(readFileSync(dockerfile, 'utf8')).getInstructions()) {
    const keyword = instruction.getKeyword()
    if (keyword === 'FROM') {
      stages.push(beginStage(instruction as From))
      continue
    }
    const stage = stages.at(-1)
    if (stage === undefined) throw new Error(`${keyword} stands before the first FROM`)
    const content = instruction.getArgumentsContent() ?? ''
    if (keyword === 'RUN') stage.steps.push({ kind: 'run', command: content })
    else if (keyword === 'COPY') stage.steps.push(copyOf(instruction as Copy, content))
    else if (keyword === 'WORKDIR') stage.steps.push({ kind: 'folder', path: content })
    else if (keyword === 'USER') stage.user = content
    else if (keyword === 'ENTRYPOINT') stage.entrypoint = wordsOf(instruction as JSONInstruction)
    else if (keyword === 'CMD') stage.command = wordsOf(instruction as JSONInstruction)
    else if (keyword === 'HEALTHCHECK') stage.health = JSON.parse(content.replace(/^.*?CMD /, ''))
    else if (keyword === 'ENV') {
      for (const property of (instruction as Env).getProperties()) {
        const value = property.getValue() ?? ''
        stage.env[property.getName()] = value.startsWith('$') ? (stage.args[value.slice(1)] ?? '') : value
      }
    } else if (keyword === 'ARG') {
      const [name = '', standard = ''] = content.split('=')
      stage.args[name] = standard
    } else if (keyword !== 'EXPOSE') throw new Error(`${keyword} is not known here`)
  }
  return stages
}

function beginStage(from: From): Stage {
  return {
    base: from.getImage() ?? '',
    name: from.getBuildStage(),
    steps: [],
    user: null,
    env: {},
    args: {},
    entrypoint: [],
    command: [],
    health: [],
  }
}

function copyOf(instruction: Copy, content: string): Step {
  const paths = content.split(/\s+/)
  const from = instruction.getFlags().find((flag) => flag.getName() === 'from')
  return { kind: 'copy', from: from?.getValue() ?? null, sources: paths.slice(0, -1), to: paths.at(-1) ?? '' }
}

function wordsOf(instruction: JSONInstruction): string[] {
  return instruction.getJSONStrings().map((word) => word.getJSONValue())
}
