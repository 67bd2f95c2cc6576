/** What is known of a step: never a company, a key, an address or anything a caller wrote. */
export type StepFacts = Readonly<Record<string, string | number | boolean>>

/** One step of something that is followed from process to process. */
export type TracedStep = {
  /** What is done in here, and all it sets going, belongs to the step. */
  run<T>(work: () => T): T
  /** @param failure the stable code of what went wrong; null when nothing did */
  end(facts: StepFacts, failure: string | null): void
}

export type Tracer = {
  /**
   * @param from where the step began in another process, as it was told there; null for the step that is being done here,
   *   or for one that follows from none
   */
  begin(kind: StepKind, name: string, facts: StepFacts, from: string | null): TracedStep
  /** The step that is being done, to be told to another process (W3C Trace Context, `traceparent`); null outside of any. */
  here(): string | null
}

/** `answering` and `working` follow from elsewhere, `asking` and `sending` go elsewhere. */
export type StepKind = 'answering' | 'inside' | 'asking' | 'sending' | 'working'

/** The process' own, set by whoever opens them: steps are told of deep inside, where nobody hands anything in. */
let installed: readonly Tracer[] = []
/** All of them as one; null while there is none. */
let tracer: Tracer | null = null

/** @returns takes it out again */
export function installTracer(next: Tracer): () => void {
  installed = [...installed, next]
  tracer = asOne(installed)
  return () => {
    installed = installed.filter((each) => each !== next)
    tracer = asOne(installed)
  }
}

/** The first is the outermost: those after it can be told where its step is. */
function asOne(tracers: readonly Tracer[]): Tracer | null {
  const [first, ...others] = tracers
  if (first === undefined) return null
  const rest = asOne(others)
  if (rest === null) return first
  return {
    begin(...about) {
      const outer = first.begin(...about)
      const inner = rest.begin(...about)
      return {
        run: (work) => outer.run(() => inner.run(work)),
        end(facts, failure) {
          inner.end(facts, failure)
          outer.end(facts, failure)
        },
      }
    },
    here: () => first.here() ?? rest.here(),
  }
}

/** The beginning of a step whose end comes elsewhere; null, at no cost, when nothing is traced. */
export function beginStep(
  kind: StepKind,
  name: string,
  facts: StepFacts,
  from: string | null = null,
): TracedStep | null {
  return tracer === null ? null : tracer.begin(kind, name, facts, from)
}

/** Does the work as a step; simply does it when nothing is traced. */
export function traced<T>(
  kind: StepKind,
  name: string,
  facts: StepFacts,
  work: () => Promise<T>,
  { from = null, told }: { from?: string | null; told?: (result: T) => StepFacts } = {},
): Promise<T> {
  return tracer === null ? work() : follow(tracer.begin(kind, name, facts, from), work, told)
}

/** What another process needs to be told to go on from here; null when nothing is traced. */
export function whereTraced(): string | null {
  return tracer === null ? null : tracer.here()
}

async function follow<T>(
  step: TracedStep,
  work: () => Promise<T>,
  told?: (result: T) => StepFacts,
): Promise<T> {
  try {
    const result = await step.run(work)
    step.end(told?.(result) ?? {}, null)
    return result
  } catch (error) {
    step.end({}, failureOf(error))
    throw error
  }
}

/** A message may name anything; a code is ours. */
function failureOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' ? code : 'ukjent_feil'
}
