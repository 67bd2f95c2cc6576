import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postalMime from 'postal-mime'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMail } from '#src/mail/transport.ts'
import { key, letter, listeningLog, openOptions, soon } from './parts.ts'

describe('mail without a mail server', () => {
  let dataDir: string
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'mail-folder-'))
  })
  afterEach(() => rm(dataDir, { recursive: true }))
  const files = () => readdir(join(dataDir, 'mail'))

  it('is a file a mail program opens, for nobody else to read', async () => {
    const mail = openMail({ ...openOptions, dataDir })
    expect(await mail.check()).toBeNull()
    expect(await mail.send(letter, soon())).toMatchObject({ outcome: 'accepted' })
    const [name = ''] = await files()
    expect(name).toMatch(/^[0-9]{8}T[0-9]{9}Z-ordre-1\.lever\.1\.1\.eml$/)
    expect((await stat(join(dataDir, 'mail', name))).mode & 0o777).toBe(0o600)
    expect((await stat(join(dataDir, 'mail'))).mode & 0o777).toBe(0o700)
    const { text, subject } = await postalMime.parse(await readFile(join(dataDir, 'mail', name)))
    expect([text?.trimEnd(), subject]).toEqual([letter.text, letter.subject])
  })

  it('sorts by when it was written, also within a millisecond', async () => {
    const mail = openMail({ ...openOptions, dataDir })
    for (let nr = 20; nr > 0; nr--)
      await mail.send({ ...letter, messageId: `<${nr}@selger.example>` }, soon())
    const numbers = (await files()).sort().map((name) => Number(/-([0-9]+)\.eml$/.exec(name)?.[1]))
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => 20 - index))
  })

  it('keeps the newest, so many and no more, and nothing half written', async () => {
    const mail = openMail({ ...openOptions, dataDir, policy: { ...openOptions.policy, filesMax: 3 } })
    await mail.check()
    await writeFile(join(dataDir, 'mail', '20200101T000000000Z-a.1.eml.part'), 'half of')
    await writeFile(join(dataDir, 'mail', 'notes.txt'), 'not ours')
    for (const nr of [1, 2, 3, 4]) await mail.send({ ...letter, messageId: `<${nr}@selger.example>` }, soon())
    expect((await files()).map((name) => name.replace(/^[0-9TZ]+-/, '')).sort()).toEqual([
      '2.eml',
      '3.eml',
      '4.eml',
      'notes.txt',
    ])
  })

  it('a folder that can not be written: temporary, and it says what is in the way', async () => {
    await writeFile(join(dataDir, 'mail'), 'in the way')
    const mail = openMail({ ...openOptions, dataDir })
    expect(await mail.check()).toMatchObject({ outcome: 'temporary', fault: 'EEXIST' })
    expect(await mail.send(letter, soon())).toMatchObject({ outcome: 'temporary', fault: 'EEXIST' })
  })

  it('P40: the log says once that mails are files, and nothing of what is in them', async () => {
    const { log, text } = listeningLog()
    const mail = openMail({ ...openOptions, dataDir, log })
    await mail.send(letter, soon())
    await mail.send(letter, soon())
    expect(text().match(/no SMTP_URL/g)).toHaveLength(1)
    expect(text()).toContain(letter.messageId)
    for (const secret of [letter.to, key, letter.subject]) expect(text()).not.toContain(secret)
  })

  it('a caller who has given up gets no file', async () => {
    const mail = openMail({ ...openOptions, dataDir })
    expect(await mail.send(letter, { signal: AbortSignal.abort() })).toMatchObject({ outcome: 'temporary' })
    expect(await files()).toEqual([])
  })
})
