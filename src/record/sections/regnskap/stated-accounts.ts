import type { ServedOrFailed } from '../../parts.ts'
import { failureReason, reason } from '../../provenance.ts'
import type { Arsak } from '../../state.ts'
import { answered, notRelevant, type Stated } from '../../stated.ts'
import type { Unit } from '../foretak.ts'
import { newestPeriodEnd, type Regnskap, regnskapOf } from '../regnskap.ts'
import type { KnownAccounts } from './known-accounts.ts'

/**
 * Banks and insurers get HTTP 500 for good; with the general error text only their form or industry tells it from an outage.
 * Years from the archive that the register does not give itself are never shown as fresh.
 */
export function accountsOf(settled: ServedOrFailed<KnownAccounts>, unit: Unit): Stated<Regnskap> {
  if (settled.outcome === 'unsupported' && (settled.certain || isBankOrInsurer(unit))) {
    return { ...notRelevant('oppstillingsplan_ikke_stottet'), hentet: settled.fetchedAt }
  }
  const stated = answered(settled, regnskapOf, newestPeriodEnd)
  const withoutLive = settled.outcome === 'found' ? settled.value.withoutLive : null
  if (withoutLive === null || stated.data === null) return stated
  return { ...stated, tilstand: 'utdatert', arsak: stated.arsak ?? whyWithoutLive(withoutLive, unit) }
}

function whyWithoutLive(withoutLive: NonNullable<KnownAccounts['withoutLive']>, unit: Unit): Arsak {
  if (withoutLive === 'absent') return reason('ingen_hos_kilden_na')
  if (withoutLive === 'unsupported' || isBankOrInsurer(unit)) return reason('oppstillingsplan_ikke_stottet')
  return failureReason('feilstatus')
}

function isBankOrInsurer(unit: Unit): boolean {
  const codes = [unit.naeringskode1, unit.naeringskode2, unit.naeringskode3]
  return (
    FINANCIAL_FORMS.has(unit.organisasjonsform?.kode ?? '') ||
    codes.some((each) => /^(64\.1|65\.)/.test(each?.kode ?? ''))
  )
}

/** Savings bank, mutual insurer, pension fund, securities fund. */
const FINANCIAL_FORMS: ReadonlySet<string> = new Set(['SPA', 'GFS', 'PK', 'VPFO'])
