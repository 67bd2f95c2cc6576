import { html } from 'ghtml'
import { endedByError, type Overview } from '#src/ops/overview.ts'
import { bytesText, cellText, dataTable, decimalText, duration, shareText, tag, timeText } from './layout.ts'
import { sparkline } from './sparkline.ts'

/** Everything below the heading; sent again and again to a page that is open. */
export function overviewBody(seen: Overview): string {
  return [
    verdict(seen),
    pictures(seen),
    sources(seen),
    answers(seen),
    cache(seen),
    work(seen),
    sale(seen),
    processes(seen),
    html`<p class="ds-paragraph" data-size="sm">Tallene gjelder de siste ${String(seen.minutter)} minuttene. Sist lest !${timeText(seen.tid)}.</p>`,
  ].join('\n')
}

/** One line that answers "is anything wrong?". */
function verdict({ galt }: Overview): string {
  if (galt.length === 0)
    return html`<div class="ds-alert" data-color="success" id="dom"><strong>Alt er i orden.</strong></div>`
  const list = galt.map((each) => html`<li>${each}</li>`).join('')
  const [first] = galt
  return galt.length === 1
    ? html`<div class="ds-alert" data-color="danger" id="dom"><strong>${first ?? ''}</strong></div>`
    : html`<div class="ds-alert" data-color="danger" id="dom"><strong>${String(galt.length)} ting er galt:</strong><ul>!${list}</ul></div>`
}

function pictures({ historie }: Overview): string {
  if (historie.length < 2)
    return html`<p class="ds-paragraph dempet">Bildene av de siste timene kommer når det er målt i tjue minutter.</p>`
  const of = (read: (each: Overview['historie'][number]) => number) => historie.map(read)
  return html`<section aria-label="De siste timene" class="gnister">
!${sparkline(
    'Forespørsler per 10 min',
    of(({ foresporsler }) => foresporsler),
  )}
!${sparkline(
    'Kall til registrene per 10 min',
    of(({ kall }) => kall),
  )}
!${sparkline(
    'Kall som sviktet',
    of(({ feil }) => feil),
  )}
!${sparkline(
    'Oppslag som fantes i mellomlageret',
    of(({ treff }) => treff ?? 0),
    shareText,
  )}
!${sparkline(
    'p99 hos kildene',
    of(({ p99Ms }) => p99Ms ?? 0),
    (ms) => `${Math.round(ms)} ms`,
  )}
</section>`
}

const BREAKER = { lukket: 'i drift', prover: 'prøver', apen: 'svarer ikke' } as const
const COLOUR = { lukket: 'success', prover: 'warning', apen: 'danger' } as const

function sources({ kilder, feeder }: Overview): string {
  const rows = kilder.map((source) => [
    cellText(source.kilde),
    tag(BREAKER[source.bryter], COLOUR[source.bryter]),
    cellText(source.kall),
    cellText(shareText(source.suksess)),
    cellText(milliseconds(source.p50Ms)),
    cellText(milliseconds(source.p99Ms)),
    cellText(budget(source)),
    timeText(source.sistSvar),
  ])
  const following = feeder.map(({ feed, etterslepMs, nyeste }) => [
    cellText(feed),
    cellText(etterslepMs === null ? null : duration(etterslepMs / 1000)),
    timeText(nyeste),
  ])
  return [
    dataTable(
      'Kilder',
      ['Kilde', 'Bryter', 'Kall', 'Gikk bra', 'p50', 'p99', 'Bakgrunn mot budsjett', 'Siste svar'],
      rows,
    ),
    dataTable('Endringsfeeder', ['Feed', 'Etterslep', 'Nyeste hendelse'], following),
  ].join('\n')
}

function milliseconds(ms: number | null): string | null {
  return ms === null ? null : `${Math.round(ms)} ms`
}

function budget({ bakgrunnPerSekund, budsjettPerSekund }: Overview['kilder'][number]): string {
  const used = `${decimalText(bakgrunnPerSekund, 2)}/s`
  return budsjettPerSekund === null ? used : `${used} av ${String(budsjettPerSekund).replace('.', ',')}/s`
}

const FETCHED = {
  svar: 'ferdig svar i minnet',
  minne: 'deler i minnet',
  redis: 'deler i Redis',
  register: 'spurt hos registrene',
  ved_feil: 'spurt, og kopi vist ved feil',
} as const

function answers({ oppslag, treff }: Overview): string {
  const all = oppslag.reduce((sum, { antall }) => sum + antall, 0)
  const rows = oppslag.map(({ hentet, antall, p50Ms, p99Ms }) => [
    cellText(FETCHED[hentet]),
    cellText(antall),
    cellText(all === 0 ? null : shareText(antall / all)),
    cellText(tenths(p50Ms)),
    cellText(tenths(p99Ms)),
  ])
  return [
    dataTable('Oppslag', ['Hentet fra', 'Antall', 'Andel', 'p50', 'p99'], rows),
    html`<p class="ds-paragraph">${treff === null ? 'Ingen foretak er slått opp.' : `Treff: ${shareText(treff)} av ${all} oppslag.`}</p>`,
  ].join('\n')
}

function tenths(ms: number | null): string | null {
  return ms === null ? null : `${decimalText(ms, ms < 10 ? 2 : 0)} ms`
}

function cache({ mellomlager, stilling }: Overview): string {
  const { minne, redis, utdatert, vedFeil, bom, kastet, kastetByte, foretak, byte, svar, svarByte } =
    mellomlager
  const rows = [
    [
      cellText('alle prosesser'),
      cellText(minne),
      cellText(redis),
      cellText(utdatert),
      cellText(vedFeil),
      cellText(bom),
      cellText(`${kastet} (${bytesText(kastetByte)})`),
      cellText(`${foretak} (${bytesText(byte)})`),
      cellText(`${svar} (${bytesText(svarByte)})`),
    ],
  ]
  const tuned =
    stilling.endret === 0
      ? html`<p>Levetidene er som programmet har dem.</p>`
      : html`<p>${String(stilling.endret)} verdier er stilt (<a class="ds-link" href="/levetider">versjon ${String(stilling.versjon)}</a>, av ${stilling.hvem}).</p>`
  return `${dataTable(
    'Mellomlager',
    [
      'Hos',
      'Deler funnet i minnet',
      'Deler funnet i Redis',
      'Vist utdatert',
      'Vist ved feil',
      'Bom',
      'Kastet ut',
      'Foretak holdt',
      'Ferdige svar',
    ],
    rows,
  )}\n${tuned}`
}

function work({ koer, jobber }: Overview): string {
  const rows = (koer ?? []).map(({ lane, waiting, active, delayed, failed, isPaused }) => [
    isPaused ? `${cellText(lane)} ${tag('på pause', 'danger')}` : cellText(lane),
    cellText(waiting),
    cellText(active),
    cellText(delayed),
    failed === 0 ? cellText(failed) : tag(String(failed), 'warning'),
  ])
  return [
    koer === null
      ? html`<p class="ds-paragraph">Køen kan ikke nås.</p>`
      : dataTable('Køer', ['Felt', 'Venter', 'I gang', 'Utsatt', 'Mislykket'], rows),
    html`<p class="ds-paragraph">Jobber gjort: ${String(jobber.gjort)}, forsøk som feilet: ${String(jobber.feilet)}, oppgitt: ${String(jobber.oppgitt)}.</p>`,
  ].join('\n')
}

function sale({ salg, tid }: Overview): string {
  const rows = salg.ordersByState.map(({ tilstand, antall }) => [cellText(tilstand), cellText(antall)])
  const { oldestUndelivered, alarms, keysValid, keysEndingSoon } = salg
  const waiting =
    oldestUndelivered === null
      ? 'Ingen betalt ordre venter på nøkkel.'
      : `Eldste betalte ordre uten nøkkel har ventet i ${duration((tid.getTime() - oldestUndelivered.getTime()) / 1000)}.`
  return [
    dataTable('Ordre', ['Tilstand', 'Antall'], rows),
    html`<p class="ds-paragraph">${waiting} Alarmer: ${String(alarms)}. Gyldige nøkler: ${String(keysValid)}, av dem utløper ${String(keysEndingSoon)} innen 30 dager.</p>`,
  ].join('\n')
}

function processes({ prosesser, prosessfeil, tid }: Overview): string {
  const rows = prosesser.map(({ id, slag, versjon, startet, sett, rapport }) => [
    cellText(id.slice(0, 8)),
    cellText(slag),
    cellText(versjon),
    cellText(duration((tid.getTime() - startet.getTime()) / 1000)),
    cellText(`${Math.max(0, Math.round((tid.getTime() - sett.getTime()) / 1000))} s siden`),
    rapport === null
      ? tag('ukjent', 'neutral')
      : rapport.klar
        ? tag('klar', 'success')
        : tag('ikke klar', 'danger'),
    cellText(rapport === null ? null : bytesText(rapport.minne.rssByte)),
    cellText(rapport?.stilling ?? null),
    cellText(rapport?.adresse ?? null),
  ])
  const { antall, siste } = prosessfeil
  return [
    dataTable(
      'Prosesser',
      ['Id', 'Slag', 'Versjon', 'Oppe', 'Sett', 'Klar', 'Minne', 'Stilling', 'Driftsside'],
      rows,
    ),
    siste === null
      ? html`<p class="ds-paragraph">Ingen prosess har endt av en feil.</p>`
      : html`<p class="ds-paragraph">Siste: ${endedByError(siste)} (versjon ${siste.versjon}). ${String(antall)} i alt.</p>`,
  ].join('\n')
}
