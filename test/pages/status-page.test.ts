import { describe, expect, it } from 'vitest'
import type { PublicStatus } from '#src/ops/public-status.ts'
import { statusPage } from '#src/pages/status-page.ts'

const visitor = (language: 'nb' | 'en') => ({
  language,
  chosen: null,
  at: (path: string) => path,
  inOtherLanguage: { language: language === 'nb' ? ('en' as const) : ('nb' as const), url: '/status' },
})

const well: PublicStatus = {
  tid: '2026-11-21T08:14:00.000Z',
  kilder: [
    { kilde: 'roller', drift: 'i_drift', sistSvar: '2026-11-21T08:13:00.000Z', sistFeil: null },
    { kilde: 'sok', drift: 'ukjent', sistSvar: null, sistFeil: null },
  ],
  feeder: [
    {
      feed: 'roller',
      etterslepSekunder: 12,
      nyesteHendelse: '2026-07-01T22:30:00.000Z',
      per: '2026-11-21T08:14:00.000Z',
    },
  ],
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
        { kilde: 'regnskap', drift: 'nede' as const, sistSvar: null, sistFeil: well.tid },
        { kilde: 'prokura', drift: 'ustabil' as const, sistSvar: null, sistFeil: well.tid },
      ],
      feeder: roller === undefined ? [] : [{ ...roller, etterslepSekunder: 5400 }],
    }
    const { main } = statusPage(late, visitor('nb'))
    const verdict = main.slice(0, main.indexOf('<table'))
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
})
