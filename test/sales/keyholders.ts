import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { policy } from '#config/policy.ts'
import { createVerifier, type Verifier } from '#src/access/verify.ts'
import type { Clock } from '#src/core/clock.ts'
import { activateKey } from '#src/storage/key-chain.ts'
import { findKeyById } from '#src/storage/keys.ts'
import type { TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { keyIn, linkIn } from '#test/support/mail-server.ts'
import type { OpenShop } from './shop-for-each-test.ts'

const ORIGIN = 'http://127.0.0.1'

/** Those who have bought a key in the shop of this moment, and what comes to their mailboxes. */
export function keyholders(open: () => OpenShop) {
  const mailsTo = (epost: string) => open().mail.mails.filter(({ envelope }) => envelope.to === epost)
  const keysTo = (epost: string) => mailsTo(epost).flatMap((one) => keyIn(one) ?? [])
  const linksTo = (epost: string) =>
    mailsTo(epost).flatMap((one) => linkIn(one, `${ORIGIN}/nokkel/erstatt/`) ?? [])
  const renewalsTo = (epost: string) =>
    mailsTo(epost).flatMap((one) => linkIn(one, `${ORIGIN}/nokkel/forny/`) ?? [])
  const newestKey = (epost: string) => last(keysTo(epost))
  const newestLink = (epost: string) => tokenOf(last(linksTo(epost)))

  async function later(ms: number): Promise<void> {
    const { clock, shop } = open()
    clock.advance(ms)
    await shop.goOn()
  }

  async function approve(ordre: string): Promise<void> {
    const { vipps, shop } = open()
    vipps.approve(`bo-${(await shop.sales.readOrder(ordre))?.nummer}-1`)
    await later(policy.sales.pollFirstMs)
    // What a busy machine was too late for is done in another turn.
    await eventually('the order is done', async () => {
      await shop.goOn()
      return (await shop.sales.readOrder(ordre))?.tilstand === 'fullfort'
    })
  }

  return {
    mailsTo,
    keysTo,
    linksTo,
    renewalsTo,
    newestKey,
    newestLink,
    later,
    approve,

    async bought(epost = newAddress()) {
      const { storage, shop } = open()
      const { ordre } = await shop.sales.placeOrder({
        epost,
        vilkaarGodtatt: true,
        idempotensToken: newToken(),
      })
      await approve(ordre)
      const key = newestKey(epost)
      const stored = await findKeyById(storage.database, keyId(key))
      if (stored === null) throw new Error('expected a key')
      return { ordre, epost, key, id: stored.id, utloper: stored.utloper }
    },

    /** From the page to the new key. */
    async replaced(epost: string, grunn: 'tapt' | 'lekket'): Promise<string> {
      const { shop } = open()
      await shop.sales.requestReplacement(epost, grunn)
      await shop.goOn()
      expect(await shop.sales.confirmReplacement(newestLink(epost))).toMatchObject({ utfall: 'sendes' })
      await shop.goOn()
      return newestKey(epost)
    },

    newVerifier(): Verifier {
      return verifierOf(open())
    },
  }
}

/** A process that knows no key yet. */
export function verifierOf({ storage, clock }: { storage: TestDatabase; clock: Clock }): Verifier {
  return createVerifier({
    miljo: 'test',
    findKeyById: (id) => findKeyById(storage.database, id),
    activate: (id) => activateKey(storage.database, id, clock.now()),
    clock,
    policy: { ...policy.keys, argon2WaitMs: 60_000 },
    onFault: () => {},
  })
}

export function newAddress(): string {
  return `kjoper-${randomBytes(4).toString('hex')}@example.no`
}

/** As a form has it. */
export function newToken(): string {
  return randomBytes(24).toString('base64url')
}

export function tokenOf(link: string): string {
  return link.split('/').at(-1) ?? ''
}

export function keyId(key: string): string {
  return key.split('_')[2] ?? ''
}

function last(words: string[]): string {
  const word = words.at(-1)
  if (word === undefined) throw new Error('expected a mail with it')
  return word
}
