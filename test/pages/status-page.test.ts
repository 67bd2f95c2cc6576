import { describe, expect, it } from 'vitest'
import type { PublicStatus } from '#src/ops/public-status.ts'
import { statusFeed } from '#src/pages/status-feed.ts'
import { statusPage } from '#src/pages/status-page.ts'

const visitor = (language: 'nb' | 'en') => ({
  language,
  chosen: null,
  at: (path: string) => path,
  inOtherLanguage: { language: language === 'nb' ? ('en' as const) : ('nb' as const), url: '/status' },
})

const unheard = { siden: null, sistSvar: null, sistFeil: '2026-11-21T08:12:00.000Z', dager: [] }

const well: PublicStatus = {
  tid: '2026-11-21T08:14:00.000Z',
  kilder: [
    {
      kilde: 'roller',
      drift: 'i_drift',
      siden: '2026-11-03T11:02:00.000Z',
      sistSvar: '2026-11-21T08:13:00.000Z',
      sistFeil: null,
      dager: [
        { dag: '2026-11-18', drift: 'ikke_spurt', svar: 0, feil: 0 },
        { dag: '2026-11-19', drift: 'nede', svar: 4, feil: 31 },
        { dag: '2026-11-20', drift: 'ustabil', svar: 90, feil: 2 },
        { dag: '2026-11-21', drift: 'i_drift', svar: 9, feil: 0 },
      ],
    },
    { kilde: 'sok', drift: 'ukjent', siden: null, sistSvar: null, sistFeil: null, dager: [] },
  ],
  feeder: [
    {
      feed: 'roller',
      etterslepSekunder: 12,
      nyesteHendelse: '2026-07-01T22:30:00.000Z',
      per: '2026-11-21T08:14:00.000Z',
    },
  ],
  hendelser: [
    {
      id: 'roller-202611190800',
      kilde: 'roller',
      fra: '2026-11-19T08:01:00.000Z',
      til: '2026-11-19T08:47:00.000Z',
      svarteIgjen: '2026-11-19T08:49:00.000Z',
      svar: 4,
      feil: 31,
    },
  ],
  historikk: { per: '2026-11-21T08:14:00.000Z' },
}

describe('the status as a page', () => {
  it('says first that nothing is wrong', () => {
    const asked = { ...well, kilder: well.kilder.slice(0, 1) }
    expect(statusPage(asked, visitor('nb')).main).toContain('Tjenesten er oppe, og ingenting er galt.')
    expect(statusPage(asked, visitor('en')).main).toContain('The service is up, and nothing is wrong.')
  })

  it('does not say that nothing is wrong of what nobody has asked since the start', () => {
    const { main } = statusPage(well, visitor('nb'))
    expect(main).toContain('det som er spurt, svarer. 1 kilde er ikke spurt')
    expect(main).not.toContain('ingenting er galt')
    const unasked = { ...well, kilder: well.kilder.slice(1) }
    expect(statusPage(unasked, visitor('en')).main).toContain('so how they answer is not known')
  })

  it('says first which register does not answer, and which is late and by how much', () => {
    const [roller] = well.feeder
    const late = {
      ...well,
      kilder: [
        { kilde: 'regnskap', drift: 'nede' as const, ...unheard },
        { kilde: 'prokura', drift: 'ustabil' as const, ...unheard },
      ],
      feeder: roller === undefined ? [] : [{ ...roller, etterslepSekunder: 5400 }],
    }
    const { main } = statusPage(late, visitor('nb'))
    const verdict = main.slice(0, main.indexOf('id="kilder"'))
    for (const words of [
      'Svarer ikke: Regnskap.',
      'Svarte ikke sist: Prokura.',
      'roller ligger 90 min etter',
    ])
      expect(verdict).toContain(words)
    expect(verdict).not.toContain('ingenting er galt')
    expect(statusPage(late, visitor('en')).main).toContain('Changes of roles are 90 min late.')
  })

  it('gives times in Norway’s, winter and summer, with the moment itself for machines', () => {
    const { main } = statusPage(well, visitor('nb'))
    expect(main).toContain('<time datetime="2026-11-21T08:14:00.000Z">21. november 2026 kl. 09:14</time>')
    expect(main).toMatch(
      /<time datetime="2026-07-01T22:30:00.000Z"><span>2\. juli<\/span> <span>kl\. 00:30<\/span><\/time>/,
    )
  })

  it('shows a source it has no words for by its own name, and as text', () => {
    const [source] = well.kilder
    if (source === undefined) throw new Error('no source')
    const { main } = statusPage({ ...well, kilder: [{ ...source, kilde: '<ny>' as never }] }, visitor('nb'))
    expect(main).toContain('&#60;ny&#62;')
  })

  it('P114: shows each day of a source, what is not known among them, in words as well as in colour and height', () => {
    const { main } = statusPage(well, visitor('nb'))
    expect(main).toContain('aria-label="Nitti dager: 1 i drift, 1 delvis, 1 uten svar, 1 ikke spurt."')
    for (const condition of ['i_drift', 'ustabil', 'nede', 'ikke_spurt'])
      expect(
        main.match(new RegExp(`dagstreker__${condition}" d="(M\\d+ \\d+h3v\\d+h-3z)+"`, 'g')),
      ).toHaveLength(2)
    const days = main.slice(main.indexOf('2 dager med feil'), main.indexOf('id="hendelser"'))
    expect(days).toContain('20. nov.</time>: delvis, 2 av 92 forespørsler feilet')
    expect(days).toContain('19. nov.</time>: uten svar, 31 av 35 forespørsler feilet')
    expect(main).toContain('siden <time datetime="2026-11-03T11:02:00.000Z">')
  })

  it('P114: tells of each incident from the first call that failed to the last, and whether an answer came after', () => {
    const said =
      'Roller</strong> 31 av 35 forespørsler feilet mellom 19. nov. kl. 09:01 og 19. nov. kl. 09:47. Svarte igjen 19. nov. kl. 09:49.'
    expect(statusPage(well, visitor('nb')).main).toContain(said)
    const open = { ...well, hendelser: well.hendelser.map((each) => ({ ...each, svarteIgjen: null })) }
    expect(statusPage(open, visitor('en')).main).toContain('No answer has been heard since.')
    expect(statusPage({ ...well, hendelser: [] }, visitor('en')).main).toContain(
      'No incidents have been measured',
    )
  })

  it('P114: says that it is not known how it was, when that can not be read, and shows no day', () => {
    const { main } = statusPage(
      {
        ...well,
        kilder: well.kilder.map((each) => ({ ...each, dager: [] })),
        hendelser: [],
        historikk: null,
      },
      visitor('nb'),
    )
    expect(main).toContain('kan ikke leses nå')
    expect(main).not.toContain('<svg')
    expect(main).not.toContain('Ingen hendelser')
  })

  it('P114: is a feed of the incidents, each with the same id for as long as it is told', () => {
    const feed = statusFeed(well, { language: 'en', publicUrl: 'https://a.example' })
    const entry = feed.slice(feed.indexOf('<entry>'))
    expect(entry).toContain('<id>https://a.example/status#roller-202611190800</id>')
    expect(entry).toContain('<title>Roles: answers again</title>')
    expect(entry).toContain('<published>2026-11-19T08:01:00.000Z</published>')
    expect(entry).toContain('<updated>2026-11-19T08:49:00.000Z</updated>')
    expect(feed.slice(0, feed.indexOf('<entry>'))).toContain('<updated>2026-11-19T08:49:00.000Z</updated>')
  })
})
