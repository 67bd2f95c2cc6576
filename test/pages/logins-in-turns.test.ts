import { expect, it } from 'vitest'
import { mintKey } from '#src/core/api-key.ts'
import { whoAsks } from '#src/core/asker.ts'
import { closedPages, noSessions } from '#test/support/closed-pages.ts'
import { formBrowser } from '#test/support/form-browser.ts'
import { KEY, startPageFront } from './page-front.ts'

it('P61: attack: whoever logs in with one key again and again has the turns of that key, and no network’s', async () => {
  const askers: string[] = []
  const asked = () => void askers.push(whoAsks())
  const front = await startPageFront(closedPages(), {
    changes: {
      verifier: { verify: () => ({ ok: true, key: KEY }), atHand: () => null },
      sessions: {
        ...noSessions,
        async begin() {
          asked()
          return { value: 's'.repeat(43), seconds: 60 }
        },
        end: async () => asked(),
      },
    },
  })
  const browser = formBrowser(front.origin)
  const { text } = await browser.get('/logg-inn')
  const fields = { skjema: browser.token(text), nokkel: mintKey('test').token }
  for (const ip of ['203.0.113.7', '203.0.113.8'])
    await front.post('/logg-inn', fields, { cookie: browser.cookie(), 'x-forwarded-for': ip })
  expect(askers).toEqual([KEY.right, KEY.right])
  await front.close()
})
