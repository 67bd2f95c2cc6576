import { AsyncLocalStorage } from 'node:async_hooks'
import { type StepFacts, type TracedStep, type Tracer, whereTraced } from '#src/core/trace.ts'

/**
 * What became of one request: how it ended, what was looked up, who was asked, and what was set going. Made of the steps that
 * are traced anyway, which name no company, key or person.
 */
export type Story = {
  id: string
  /** ISO 8601. */
  tid: string
  /** The method and the route's pattern. */
  hva: string
  status: number
  ms: number
  /** The problem's code; null when it was answered. */
  kode: string | null
  /** Where the company came from; null for what is none. */
  hentet: string | null
  /** The trace it is a part of, where traces are sent. */
  spor: string | null
  steg: { hva: string; ms: number; feil: string | null; mer: StepFacts }[]
}

/** A record asks a dozen sources, each through the cache, its guard and HTTP; half as many again say nothing new. */
const STEPS_MAX = 60

/**
 * Listens to what is traced and tells each request's story when it has been answered. The short way of held answers has none:
 * all there is to say of those stands in their line of the log.
 */
export function createStories({
  now,
  onStory,
}: {
  now: () => Date
  onStory: (story: Story) => void
}): Tracer {
  const telling = new AsyncLocalStorage<Story>()

  function answering(id: string, hva: string): TracedStep {
    const startedAt = performance.now()
    const story: Story = {
      id,
      tid: now().toISOString(),
      hva,
      status: 0,
      ms: 0,
      kode: null,
      hentet: null,
      spor: null,
      steg: [],
    }
    return {
      run: (work) =>
        telling.run(story, () => {
          story.spor = whereTraced()?.split('-')[1] ?? null
          return work()
        }),
      end(facts) {
        story.ms = roundedSince(startedAt)
        story.status = Number(facts['http.response.status_code'])
        story.kode = stringOf(facts['problem.code'])
        story.hentet = stringOf(facts.fetched)
        onStory(story)
      },
    }
  }

  return {
    begin(kind, name, facts) {
      if (kind === 'answering') {
        const id = facts['request.id']
        return typeof id === 'string' ? answering(id, name) : UNTOLD
      }
      const story = telling.getStore()
      if (story === undefined || story.steg.length >= STEPS_MAX) return UNTOLD
      const startedAt = performance.now()
      return {
        run: (work) => work(),
        end(more, failure) {
          story.steg.push({
            hva: name,
            ms: roundedSince(startedAt),
            feil: failure,
            mer: { ...facts, ...more },
          })
        },
      }
    },
    here: () => null,
  }
}

const UNTOLD: TracedStep = { run: (work) => work(), end() {} }

function roundedSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10
}

function stringOf(fact: StepFacts[string] | undefined): string | null {
  return typeof fact === 'string' ? fact : null
}
