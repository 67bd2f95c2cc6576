import type { Language } from '#src/core/language.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { problemBody } from '../../http/problem.ts'
import { problemOfNumber } from '../many/lines.ts'
import type { AskedNumber } from '../many/numbers.ts'

type Outcome = 'ny' | 'endret' | 'sluttet' | 'ikke_overvaket'

/**
 * What became of a list that is watched, or no more: line by line, and all of it in the last.
 *
 * @param outcomeOf null: the company was removed
 * @param turn waited for before more is told; null: there is time now. However many lists are told at once, others are heard meanwhile
 */
export async function toldList(
  asked: readonly AskedNumber[],
  {
    doubles,
    settInnen,
    outcomeOf,
    about,
    turn,
  }: {
    doubles: number
    settInnen: string | null
    outcomeOf: (orgnr: Organisasjonsnummer) => Outcome | null
    about: { language: Language; publicUrl: string; foresporselId: string }
    turn: () => Promise<void> | null
  },
): Promise<string> {
  const sum = { linjer: 0, nye: 0, endret: 0, sluttet: 0, feil: 0, dubletter: doubles, settInnen }
  /** As JSON: most lines of a list that is wrong say the same. */
  const problems = new Map<AskedNumber['wrong'], string>()
  const problemOf = (wrong: AskedNumber['wrong']) => {
    const told = problems.get(wrong) ?? JSON.stringify(problemBody(problemOfNumber(wrong), about))
    problems.set(wrong, told)
    return told
  }
  const lines: string[] = []
  for (const { orgnr, given, wrong } of asked) {
    if (sum.linjer % LINES_AT_ONCE === 0) await turn()
    sum.linjer += 1
    const outcome = orgnr === null ? null : outcomeOf(orgnr)
    if (outcome === null) {
      sum.feil += 1
      const said = {
        linje: sum.linjer,
        organisasjonsnummer: orgnr,
        ...(given !== null && { oppgitt: given }),
      }
      lines.push(`${JSON.stringify(said).slice(0, -1)},"feil":${problemOf(wrong)}}`)
    } else {
      if (outcome !== 'ikke_overvaket') sum[outcome === 'ny' ? 'nye' : outcome] += 1
      lines.push(JSON.stringify({ linje: sum.linjer, organisasjonsnummer: orgnr, utfall: outcome }))
    }
  }
  lines.push(JSON.stringify({ oppsummering: sum }), '')
  return lines.join('\n')
}

/** A fraction of a millisecond. */
const LINES_AT_ONCE = 100
