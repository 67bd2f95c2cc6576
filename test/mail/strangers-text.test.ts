import postalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import { companiesOfChanges } from '#src/changes/mails/change-words.ts'
import { createComposer } from '#src/mail/compose.ts'
import { contentOf } from '#src/mail/templates/content-of.ts'
import { openOptions } from './parts.ts'

const composer = createComposer(openOptions)
const head = {
  name: 'Oppslag',
  publicUrl: 'https://oppslag.example',
  replaceUrl: 'https://oppslag.example/bytt-nokkel',
  keysUrl: 'https://oppslag.example/nokler',
  contact: 'hjelp@oppslag.example',
}
const at = new Date('2026-11-22T12:00:00Z')

/** What a company or a watch is called, and what one value became of another. */
const texts = {
  'lines of its own': 'Ola AS\r\n\r\nNØKKELEN DIN ER SPERRET\r\nhttps://ond.example/bekreft',
  'lines without a carriage return': 'Ola AS\nBcc: x@ond.example\n\u2028\u2029\u0085kropp',
  markup: '<b>Ola</b></p><a href="https://ond.example">her</a><img src=x onerror=alert(1)>',
  'a header’s own code': '=?utf-8?q?=E2=80=AEOla?= =?utf-8?B?PGI+?=',
  'letters that turn the direction': 'Ola \u202egnp.exe\u202c \u2066x\u2069 \u200fAS',
  'control letters': 'Ola\u0000\u0007\u001b[2J\u009b31mAS',
  'half a letter': 'Ola \ud83d AS',
}

async function mailed(text: string, companies = 1) {
  const changes = Array.from({ length: companies }, (_, nth) => ({
    nr: nth + 1,
    orgnr: String(901012121 + nth),
    seksjon: 'navn',
    type: 'foretak.navn.endret',
    felt: [{ felt: '/navn', for: 'FØR AS', etter: text.slice(0, 80) }],
    nevner: [],
    hendelse: null,
    forrige: at,
    sett: at,
    prove: false,
    navn: text,
  }))
  const content = contentOf(
    {
      kind: 'changes',
      cadence: 'straks',
      companies: companiesOfChanges(changes, new Map()),
      more: 0,
      listUrl: 'https://oppslag.example/overvaking',
      stopUrl: 'https://oppslag.example/varsling/avslutt/x',
    },
    head,
  )
  const { bytes } = await composer.compose({ ...content, to: 'a@b.example', messageId: '<a@b.example>' })
  return { content, bytes, mail: await postalMime.parse(bytes) }
}

describe('P151: what strangers are called, in a mail', () => {
  it.each(Object.entries(texts))('attack: %s are letters of the line they stand in', async (_what, text) => {
    const { content, mail } = await mailed(text)
    const plain = await mailed('Ola AS')
    expect(mail.headers.map(({ key }) => key)).toEqual(plain.mail.headers.map(({ key }) => key))
    // As it was meant, with nothing in it that its reader's program would take for more.
    expect(mail.subject).toBe(content.subject)
    expect(content.subject.length).toBeLessThanOrEqual(150)
    expect(mail.text?.split('\n').length).toBe(plain.mail.text?.split('\n').length)
    for (const told of [content.subject, mail.text ?? '', mail.html ?? '']) {
      expect(told.replace(/[\t\n\r]/g, '')).not.toMatch(/[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u)
      expect(told.isWellFormed()).toBe(true)
    }
    const tags = (html = '') => html.match(/<[a-z!/][^>]*>/gi)
    expect(tags(mail.html)).toEqual(tags(plain.mail.html))
  })

  it('attack: an address in a name is no link in a mail program, which makes links of text by itself', async () => {
    const named = [
      'https://ond.example/bekreft',
      'www.ond.example/logg-inn',
      'Ny nokkel.ond.example AS',
      'svar@ond.example',
      'ond\u3002example',
      'mailto:svar@ond.example?subject=x',
    ]
    for (const text of named) {
      const { mail } = await mailed(text)
      for (const told of [mail.subject ?? '', mail.text ?? '', mail.html ?? ''])
        for (const link of ['https://ond', 'www.', 'ond.example', 'ond\u3002', 'svar@', 'mailto:svar'])
          expect([text, told.includes(link)]).toEqual([text, false])
      expect(mail.text?.replaceAll('\u2060', '')).toContain(text)
    }
    const { mail } = await mailed('1.000 kr 22.11.2026 12:30')
    expect(mail.text).toContain('1.000 kr 22.11.2026 12:30')
  })

  it.each([['Å'], ['\u0301'], ['.a'], ['😀']])(
    'attack: of a hundred names of 10,000 letters (%j) a mail has the beginnings',
    async (letter) => {
      const { bytes, mail } = await mailed(letter.repeat(10_000), 100)
      // Whole it is 25 to 50 megabytes, which no mail server takes and which are put together in one go.
      expect(bytes.length).toBeLessThan(2_000_000)
      expect(mail.text?.replaceAll('\u2060', '')).toContain(`${letter.repeat(100)}`)
      expect(mail.text?.isWellFormed()).toBe(true)
    },
  )
})
