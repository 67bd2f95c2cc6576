import nock from 'nock'
import { describe, expect, test } from 'vitest'
import { kunngjoringer as kunngjoringerSource } from '#src/sources/kunngjoringer/announcements.ts'
import type { RegisterClient } from '#src/sources/register-client.ts'
import { askSparingly } from '#src/sources/sparingly.ts'
import { answering, clientFor, HOST, ORGNR, OTHER, patient } from '../asking.ts'
import { onlyNockAnswers } from '../only-nock.ts'

const OPTIONS = { enabled: true, callsPerSecond: 100, inFlightMax: 10, waitMs: 5000, deadlineMs: 5000 }
const client = clientFor(HOST)
const read = (
  html: string | Buffer,
  contentType: string | null = 'text/html;charset=ISO-8859-1',
  status = 200,
) =>
  askSparingly(
    kunngjoringerSource,
    answering({ body: typeof html === 'string' ? Buffer.from(html, 'latin1') : html, contentType, status }),
    OPTIONS,
  )(ORGNR, patient())

const page = (...rows: string[]) =>
  `<html><head><title>Kunngjøringer</title></head><body><div id="pagecontent"><table>
   <tr><td>Type</td><td>Dato</td><td></td><td>Kunngjøring</td><td></td></tr>${rows.join('\n')}</table></div></body></html>`
const row = (dato: string, kid: string, title: string, sokeverdi: string = ORGNR) =>
  `<tr bgcolor="#ffffff"><td><p>&nbsp;</p></td><td nowrap="true"><p>${dato}</p></td><td></td>
   <td><p><a href="hent_en.jsp?kid=${kid}&amp;sokeverdi=${sokeverdi}&amp;spraak=nb">${title}</a></p></td><td></td></tr>`
const NONE = page(
  '<tr><td colspan="5">Det finnes ingen kunngjøringer på dette organisasjonsnummeret.</td></tr>',
)

onlyNockAnswers(client)

describe('announcements', () => {
  test('the page is asked for with the deleted ones too, in Norwegian, and read as ISO-8859-1', async () => {
    nock(HOST)
      .get('/kunngjoring/hent_nr.jsp')
      .query({ orgnr: ORGNR, deleted: 'true', spraak: 'nb' })
      .reply(200, Buffer.from(page(row('26.08.2026', '20260000900001', 'Konkursåpning')), 'latin1'), {
        'content-type': 'text/html',
      })
    expect(await askSparingly(kunngjoringerSource, client, OPTIONS)(ORGNR, patient())).toEqual({
      outcome: 'found',
      value: [
        {
          dato: '2026-08-26',
          tittel: 'Konkursåpning',
          kid: '20260000900001',
          type: 'konkursapning',
          gjelderInsolvens: true,
          lenke: `https://w2.brreg.no/kunngjoring/hent_en.jsp?kid=20260000900001&sokeverdi=${ORGNR}&spraak=nb`,
        },
      ],
      avvik: [],
      fetchedAt: expect.any(Date),
    })
  })

  test('a date printed once goes for the rows below it; the newest comes first', async () => {
    const answer = await read(
      page(
        row('04.06.2025', '20250000000001', 'Godkjente årsregnskap'),
        row('26.08.2026', '20260000000002', 'Konkursåpning'),
        row('', '20260000000003', 'Endring av styre'),
        row('&nbsp;', '20260000000004', 'Daglig leder'),
      ),
    )
    expect(answer.outcome === 'found' && answer.value.map(({ dato, kid }) => [dato, kid.slice(-1)])).toEqual([
      ['2026-08-26', '2'],
      ['2026-08-26', '3'],
      ['2026-08-26', '4'],
      ['2025-06-04', '1'],
    ])
  })

  test('the character set the header names is the one that is used', async () => {
    const html = page(row('26.08.2026', '20260000000001', 'Varsel om tvangsoppløsning'))
    expect(await read(Buffer.from(html), 'text/html; charset="utf-8"')).toMatchObject({
      value: [{ tittel: 'Varsel om tvangsoppløsning', type: 'varsel_om_tvangsopplosning' }],
    })
    await expect(read(Buffer.from(html, 'latin1'), 'text/html;charset=utf-8')).rejects.toMatchObject({
      failure: 'ugyldig_svar',
    })
    await expect(read(html, 'text/html;charset=klingon')).rejects.toMatchObject({ failure: 'ugyldig_svar' })
  })

  test('tag soup, other colours, and a session in the link do not matter', async () => {
    const soup = `<TABLE><TR><TD>26.08.2026<TD><A HREF='/kunngjoring/hent_en.jsp;jsessionid=A1?kid=20260000000001&sokeverdi=${ORGNR}'>
      <b>Sletting</b></A></TABLE></HTML>`
    expect(await read(soup)).toMatchObject({ value: [{ tittel: 'Sletting', dato: '2026-08-26' }] })
  })

  test('"none" is said in words; then, and only then, there are none', async () => {
    expect(await read(NONE)).toMatchObject({ outcome: 'absent' })
    for (const html of [
      '',
      '<html></html>',
      page(),
      '<html><body>Ugyldig input</body></html>',
      'Internal error',
    ]) {
      await expect(read(html)).rejects.toMatchObject({ source: 'kunngjoringer', failure: 'ugyldig_svar' })
    }
  })

  test('P9: rows about another company are not believed', async () => {
    const rows = [
      row('26.08.2026', '20260000000001', 'Sletting'),
      row('', '20260000000002', 'Sletting', OTHER),
    ]
    await expect(read(page(...rows))).rejects.toMatchObject({ failure: 'feil_foretak' })
  })

  test('a row has its own date in any of the forms seen, or none: never its neighbour’s', async () => {
    const answer = await read(
      page(
        row('26.08.2026', '20260000000001', 'Konkursåpning'),
        row('5.12.2012', '20260000000002', 'Sletting'),
        row('2012-12-06', '20260000000003', 'Sletting'),
        row('31.02.2026', '20260000000004', 'Endring av styre'),
        row('', '20260000000005', 'Daglig leder'),
        row('i går', '20260000000006', 'Revisor'),
        row('04.06.2025', '20260000000007', 'Kapital'),
      ),
    )
    expect(answer.outcome === 'found' && answer.value.map(({ dato, kid }) => [dato, kid.slice(-1)])).toEqual([
      ['2026-08-26', '1'],
      ['2025-06-04', '7'],
      ['2012-12-06', '3'],
      ['2012-12-05', '2'],
      [null, '4'],
      [null, '5'],
      [null, '6'],
    ])
    expect(answer).toMatchObject({ avvik: ['/rader/3/dato', '/rader/4/dato', '/rader/5/dato'] })
    expect(await read(page(row('', '20260000000001', 'Sletting')))).toMatchObject({
      value: [{ dato: null }],
      avvik: ['/rader/0/dato'],
    })
  })

  test('P9: a page without its end is not believed: it may be a part of a list, and a title may be a part of a word', async () => {
    const whole = page(
      row('26.08.2026', '20260000000001', 'Konkursåpning'),
      row('25.08.2026', '20260000000002', 'Vedtektsendring'),
    )
    expect(await read(whole)).toMatchObject({ value: { length: 2 } })
    for (let end = 1; end < '</html>'.length + 60; end += 7) {
      await expect(read(whole.slice(0, -end))).rejects.toMatchObject({ failure: 'ugyldig_svar' })
    }
    const cut = whole.slice(0, whole.indexOf('Vedte') + 'Vedte'.length)
    await expect(read(cut)).rejects.toMatchObject({ failure: 'ugyldig_svar', field: '/html' })
    await expect(read(NONE.replace('</html>', ''))).rejects.toMatchObject({ failure: 'ugyldig_svar' })
  })

  test('a row that can not be read costs itself and is named', async () => {
    const good = row('26.08.2026', '20260000000001', 'Sletting')
    for (const bad of [
      row('25.08.2026', 'x', 'Sletting'),
      row('25.08.2026', '20260000000002', ''),
      row('25.08.2026', '20260000000002', 'varsel '.repeat(50)),
      '<tr bgcolor="#FFFFFF"><td></td><td>25.08.2026</td><td></td><td>Konkursåpning</td><td></td></tr>',
      '<tr><td>25.08.2026</td><td><a href="hent_en.jsp?kid=20260000000002">Sletting</a></td></tr>',
    ]) {
      expect(await read(page(good, bad)), bad).toMatchObject({
        value: [{ kid: '20260000000001', dato: '2026-08-26' }],
        avvik: ['/rader/1/lenke'],
      })
      await expect(read(page(bad)), bad).rejects.toMatchObject({
        failure: 'ugyldig_svar',
        field: '/rader/0/lenke',
      })
    }
  })

  test('P9: JSON, redirects and error statuses are no page', async () => {
    await expect(read('{}', 'application/json')).rejects.toMatchObject({ failure: 'ugyldig_svar' })
    await expect(read(NONE, null)).rejects.toMatchObject({ failure: 'ugyldig_svar' })
    await expect(read('', 'text/html', 302)).rejects.toMatchObject({ failure: 'ugyldig_svar', status: 302 })
    expect(await read('', 'text/html', 410)).toMatchObject({ outcome: 'removed' })
    for (const status of [404, 429, 503]) {
      await expect(read(NONE, 'text/html', status)).rejects.toMatchObject({ failure: 'feilstatus', status })
    }
  })

  test('a page nested beyond all measure is refused, not a crash', async () => {
    for (const tags of ['<div>', '<table><tr><td>', '<b><p>']) {
      await expect(read(tags.repeat(20_000))).rejects.toMatchObject({
        failure: 'ugyldig_svar',
        cause: expect.any(RangeError),
      })
    }
  })

  test('P176: a page of half a million rows and cells is refused before they are all held', async () => {
    await expect(read(`<html><table>${'<tr><td>'.repeat(250_000)}</table></html>`)).rejects.toMatchObject({
      failure: 'ugyldig_svar',
      cause: expect.objectContaining({ message: expect.stringContaining('more than 50000 tags') }),
    })
  })

  test('switched off, nothing is asked and the answer is a reason, not a list', async () => {
    const asked: string[] = []
    const noticing: RegisterClient = {
      ...answering({ body: NONE }),
      get: (_source, path) => Promise.reject(new Error(asked.push(path).toString())),
    }
    const source = askSparingly(kunngjoringerSource, noticing, { ...OPTIONS, enabled: false })
    await expect(source(ORGNR, patient())).rejects.toMatchObject({ failure: 'avslatt' })
    expect(asked).toEqual([])
  })

  test('over the budget a call waits for its turn as long as it may; then nothing is asked, and the answer is a reason', async () => {
    const source = askSparingly(
      kunngjoringerSource,
      answering({ body: Buffer.from(NONE, 'latin1'), contentType: 'text/html' }),
      { ...OPTIONS, callsPerSecond: 0.01 },
    )
    expect(await source(ORGNR, patient())).toMatchObject({ outcome: 'absent' })
    const noted: boolean[] = []
    const impatient = {
      signal: AbortSignal.timeout(10),
      noteWait: (isWaiting: boolean) => void noted.push(isWaiting),
    }
    await expect(source(ORGNR, impatient)).rejects.toMatchObject({
      failure: 'budsjett_brukt',
    })
    // P61: what it was given, it has waited for us.
    expect(noted).toEqual([true])
  })

  test('P61: whoever asks about many companies has one turn for each of another’s', async () => {
    const asked: string[] = []
    const none = answering({ body: Buffer.from(NONE, 'latin1'), contentType: 'text/html' })
    const noticing: RegisterClient = {
      ...none,
      get(source, path, request) {
        asked.push(request.turn?.of ?? '')
        return none.get(source, path, request)
      },
    }
    const source = askSparingly(kunngjoringerSource, noticing, {
      ...OPTIONS,
      callsPerSecond: 20,
      waitMs: 5000,
    })
    const ask = (of: string) => source(ORGNR, { ...patient(), turn: { of, rank: 0 } }).catch(() => null)
    const many = Array.from({ length: 60 }, () => ask('many'))
    await ask('one')
    // Where it stands, and not how many there have been since: a slow machine has saved more of them.
    expect(asked).toContain('one')
    expect(asked.indexOf('one')).toBeLessThanOrEqual(21)
    for (const each of many) await each
  })

  test('the call ends at this source’s own deadline, or earlier with the caller’s', async () => {
    const untilAborted: RegisterClient = {
      get: (_source, _path, { signal }) =>
        new Promise((_, reject) => {
          if (signal.aborted) reject(signal.reason)
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
      leave: () => {},
      close: async () => {},
    }
    const own = askSparingly(kunngjoringerSource, untilAborted, { ...OPTIONS, deadlineMs: 10 })
    await expect(own(ORGNR, { signal: new AbortController().signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
    const callers = askSparingly(kunngjoringerSource, untilAborted, OPTIONS)
    const caller = new AbortController()
    const asked = callers(ORGNR, { signal: caller.signal })
    setImmediate(() => caller.abort())
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
  })
})
