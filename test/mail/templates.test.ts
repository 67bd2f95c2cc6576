import { Parser } from 'htmlparser2'
import { describe, expect, it } from 'vitest'
import { contentOf, type MailData } from '#src/mail/templates/content-of.ts'
import { head, letters } from './letters.ts'
import { key } from './parts.ts'

const every = Object.entries(letters).map(([name, data]) => ({ name, data, ...contentOf(data, head) }))

describe.each(every)('the mail "$name"', ({ data, subject, text, html }) => {
  it('says the same in text and in HTML', () => {
    const shown = wordsOf(read(html).pieces.join(' '))
    const said = wordsOf(text)
    // The words of a button that may not show; the text has the address alone.
    const besideButton = wordsOf('Eller åpne adressen: Or open this address:')
    expect([...shown].filter((word) => !said.has(word) && !besideButton.has(word))).toEqual([])
    expect([...said].filter((word) => !shown.has(word))).toEqual([])
    expect(said.size).toBeGreaterThan(50)
  })

  it('is Norwegian first and English below, and says which is which', () => {
    const { languages } = read(html)
    expect(languages).toEqual(['nb', 'nb', 'en'])
    expect(text.indexOf('Hilsen')).toBeGreaterThan(0)
    expect(text.indexOf('Regards')).toBeGreaterThan(text.indexOf('Hilsen'))
  })

  it('fetches nothing, runs nothing, and leads nowhere but to us', () => {
    const { elements, links } = read(html)
    expect(elements.filter((name) => !ELEMENTS.has(name))).toEqual([])
    expect(html).not.toMatch(/url\(|@import|<img|\bsrc=|\son[a-z]+=|javascript:|data:/i)
    const outside = links.filter(
      (link) => !link.startsWith(`${head.publicUrl}`) && link !== `mailto:${head.contact}`,
    )
    expect(outside).toEqual([])
    expect(
      [...text.matchAll(/https?:\/\/[^\s"]+/g)].filter(([url]) => !url.startsWith(head.publicUrl)),
    ).toEqual([])
  })

  it('has no key and no link in its subject, and no line break', () => {
    expect(subject).not.toContain('bo_')
    expect(subject).not.toContain('http')
    expect(subject).not.toMatch(/\p{Cc}/u)
  })

  it('holds a key only when it is for that', () => {
    expect(`${text}${html}`.includes(key)).toBe(data.kind === 'key' || data.kind === 'test_key')
  })
})

describe('the mail with a key', () => {
  it('the key stands alone on a line, in HTML alone in a code element, and in one line of curl', () => {
    const { text, html } = contentOf(letters.bought, head)
    expect(text.split('\n').filter((line) => line === key)).toHaveLength(2)
    expect(html).toContain(`>${key}</code>`)
    expect(text.split('\n')).toContain(
      `curl -H "Authorization: Bearer ${key}" https://oppslag.selger.example/api/bedrift/status`,
    )
  })

  it('says until when, for which order, what of two mails, and that it can be replaced but not sent again', () => {
    const { text, subject } = contentOf(letters.bought, head)
    for (const said of [
      '22. november 2027 kl. 00:30',
      '22 November 2027 at 00:30',
      'Den som brukes først, er din',
      'The first one used is yours',
      'kan ikke sendes på nytt',
      'cannot be sent again',
      head.replaceUrl,
    ]) {
      expect(text).toContain(said)
    }
    expect(subject).toContain('k7w2m9xq4t')
    expect(text).toContain('k7w2m9xq4t')
  })

  it('P35: in place of another it says how long that one works', () => {
    expect(contentOf(letters.replaced, head).text).toContain('høyst i 24 timer')
    expect(contentOf(letters.bought, head).text).not.toContain('24 timer')
  })

  it('a next year: both keys work until the old one ends, and of two mails with new ones one is theirs', () => {
    const { text, subject } = contentOf(letters.renewed, head)
    expect(subject).toContain('neste år')
    for (const said of ['stopper ikke hverandre', 'neither stops the other', 'Den av de to som brukes først'])
      expect(text).toContain(said)
    expect(text).not.toContain('Fikk du to e-poster med hver sin nøkkel,')
    expect(contentOf(letters.bought, head).text).not.toContain('hverandre')
  })

  it('a key for trying out says so', () => {
    expect(contentOf(letters.issued, head).text).toContain('testnøkkel')
    expect(contentOf(letters.bought, head).text).not.toContain('testnøkkel')
  })
})

describe('the receipt', () => {
  it('has what the law wants on it', () => {
    const { text } = contentOf(letters.receipt, head)
    for (const said of [
      /Kvittering nr\.: +1042\n/,
      /Dato: +22\. november 2026\n/,
      /Selger: +Tindevåg Data AS\n/,
      /Org\.nr\.: +901 012 121 MVA\n/,
      /Adresse: +Havnegata 1, 8300 Svolvær\n/,
      /Kjøper: +kari\.nordmann@kjoper\.example\n/,
      /Ordre: +k7w2m9xq4t\n/,
      /Vare: +API-nøkkel, ett år\n/,
      /Betalt: +1\s499,50\skr\n/,
      /Merverdiavgift: +25 % er inkludert med 299,90 kr\n/,
      /Betalingsmåte: +Vipps, referanse bo-k7w2m9xq4t-1\n/,
      /Paid: +NOK\s1,499\.50\n/,
      /Item: +API key, one year\n/,
      /VAT: +25 % is included, NOK 299\.90\n/,
    ]) {
      expect(text).toMatch(said)
    }
  })
})

describe('the other mails', () => {
  it('P35: a replacement link says that nothing happens unless it was you, and until when it works', () => {
    const { text } = contentOf(letters.lost, head)
    expect(text).toContain(letters.lost.url)
    expect(text).toContain('trenger du ikke å gjøre noe')
    expect(text).toContain('Lenken gjelder til 22. november 2027')
    expect(contentOf(letters.leaked, head).text).toContain('slutter å virke i det du bekrefter')
  })

  it('a reminder tells the days left, or that it is over, and where the next year is bought', () => {
    expect(contentOf(letters.month, head).subject).toContain('utløper om 30 dager')
    expect(contentOf(letters.tomorrow, head).subject).toContain('utløper om én dag')
    expect(contentOf(letters.expired, head).subject).toContain('er utløpt')
    expect(contentOf(letters.month, head).text).toContain('Det nye året begynner når det gamle slutter')
    for (const data of [letters.month, letters.tomorrow, letters.expired]) {
      expect(contentOf(data, head).text.split('\n')).toContain(data.url)
    }
  })
})

describe('whoever answers at a page', () => {
  it('is linked to it, and at a mail address by mail', () => {
    const page = { ...head, contact: 'https://hjelp.example/kontakt' }
    expect(read(contentOf(letters.bought, page).html).links).toContain('https://hjelp.example/kontakt')
    expect(read(contentOf(letters.bought, head).html).links).toContain(`mailto:${head.contact}`)
  })
})

describe('what others have written', () => {
  const hostile = `<script>alert(1)</script>"><img src=x onerror='alert(2)'> &amp; </td></table>`

  it('is shown as it was written, and is never markup', () => {
    const data: MailData = {
      ...letters.receipt,
      to: hostile,
      order: hostile,
      product: hostile,
      english: { product: hostile, vatText: hostile },
      paymentReference: hostile,
      seller: { name: hostile, organisationNumber: hostile, address: hostile, vatText: hostile },
    }
    const { html, text } = contentOf(data, { ...head, name: hostile, contact: hostile })
    const { elements, pieces } = read(html)
    expect(elements.filter((name) => !ELEMENTS.has(name))).toEqual([])
    expect(pieces.filter((piece) => piece.includes('<script>alert(1)</script>')).length).toBeGreaterThan(10)
    expect(text).toContain(hostile)
  })

  it('can not break out of an address', () => {
    const url = `${head.publicUrl}/forny/"onmouseover="alert(1)`
    const { links } = read(contentOf({ ...letters.month, url }, head).html)
    expect(links).toContain(url)
  })
})

const ELEMENTS = new Set('html head meta title style body table tbody tr td th div p h1 a code'.split(' '))

/** The mail as a reader's program takes it in. */
function read(html: string) {
  const elements: string[] = []
  const links: string[] = []
  const languages: string[] = []
  const pieces: string[] = []
  let isHidden = false
  let piece = ''
  const finish = () => {
    if (squeeze(piece) !== '') pieces.push(squeeze(piece))
    piece = ''
  }
  const parser = new Parser({
    onopentag(name, attributes) {
      finish()
      elements.push(name)
      isHidden = name === 'style' || name === 'title'
      if (attributes.href !== undefined) links.push(attributes.href)
      if (attributes.lang !== undefined) languages.push(attributes.lang)
    },
    ontext(text) {
      if (!isHidden) piece += text
    },
    onclosetag() {
      isHidden = false
      finish()
    },
  })
  parser.end(html)
  return { elements, links, languages, pieces }
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** In one case, and without the colons and rules that only one of the two needs. */
function wordsOf(text: string): Set<string> {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/:$/, ''))
  return new Set(words.filter((word) => !/^(-+|·|)$/.test(word)))
}
