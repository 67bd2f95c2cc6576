import type { Clock } from '#src/core/clock.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { CompanySource } from '#src/sources/index.ts'
import type { CacheOrder } from '#src/storage/cache-orders.ts'
import { resendReceipt } from '#src/storage/customers.ts'
import type { Database } from '#src/storage/database.ts'
import { type Deed, listDeeds } from '#src/storage/operator-trail.ts'
import type { OrderDecided, RefundAsked } from '#src/storage/order-states.ts'
import { actOnRecord } from './deeds.ts'
import type { Tunable } from './tunables.ts'
import { rollBackTuning, setTuning } from './tuning.ts'

export type Steering = ReturnType<typeof createSteering>

/** Who wants it and why: both are written down. */
export type By = { hvem: string; hvorfor: string }

export type ReplaceReason = 'tapt' | 'lekket'

/**
 * Everything an operator can do, from a page or a command, each with who, what and why in the trail. What is done to caches
 * reaches every process within seconds, what is done to keys within one, or sixty when nothing can be told.
 *
 * @param forget in the shared cache at once; processes are told by an order in the database beside it
 */
export function createSteering(ports: {
  db: Database
  clock: Clock
  tunables: readonly Tunable[]
  refresh: (jobs: { organisasjonsnummer: string; seksjon: CompanySource }[]) => Promise<unknown>
  sectionsToRefresh: (orgnr: Organisasjonsnummer) => Promise<readonly CompanySource[]>
  forget: (order: CacheOrder) => Promise<void>
  erase: (orgnr: Organisasjonsnummer, at: Date) => Promise<void>
  replaceKey: (id: string, grunn: ReplaceReason) => Promise<'sendes' | 'ugyldig_lenke' | 'for_mange' | null>
  /** Has the money of an order given back, and ends its keys. */
  refundOrder: (id: string) => Promise<RefundAsked | null>
  /** Puts out the alarm of an order that was decided. */
  decideOrder: (id: string) => Promise<OrderDecided | null>
  /** For ever; an order whose key is on its way is let go with it. */
  revokeKey: (id: string) => Promise<Date | null>
  ring: (subject: string) => Promise<void>
}) {
  const { db, clock, tunables } = ports

  return {
    /** Asks the registers for all of a company that is held. @returns the sections that were asked for */
    refreshCompany: (by: By, orgnr: Organisasjonsnummer): Promise<readonly CompanySource[]> =>
      actOnRecord(ports, { ...by, handling: 'foretak.oppfrisk', gjelder: orgnr }, async () => {
        const sections = await ports.sectionsToRefresh(orgnr)
        await ports.refresh(sections.map((seksjon) => ({ organisasjonsnummer: orgnr, seksjon })))
        return sections
      }),

    /** Makes what is held of a company stale, or forgets it (`hard`). */
    purgeCompany: (by: By, orgnr: Organisasjonsnummer, { hard }: { hard: boolean }): Promise<void> =>
      actOnRecord(ports, { ...by, handling: hard ? 'foretak.glem' : 'foretak.foreld', gjelder: orgnr }, () =>
        ports.forget({ company: orgnr, sections: null, isHard: hard }),
      ),

    /**
     * Forgets a company for good, on legal grounds: from then on it is answered as removed. There is no way back.
     *
     * @throws InputError unless the number is given once more
     */
    async eraseCompany(by: By, orgnr: Organisasjonsnummer, confirmed: string): Promise<void> {
      if (confirmed.replaceAll(' ', '') !== orgnr) {
        throw new InputError('ikke_bekreftet', 'bekreft', {
          norsk: 'Skriv organisasjonsnummeret en gang til for å bekrefte.',
          english: 'Write the organisation number once more to confirm.',
        })
      }
      await actOnRecord(ports, { ...by, handling: 'foretak.slett', gjelder: orgnr }, () =>
        ports.erase(orgnr, clock.now()),
      )
    },

    /** @throws InputError, TuningConflictError */
    tune: (by: By, base: number, changes: Readonly<Record<string, number | null>>) =>
      actOnRecord(
        ports,
        { ...by, handling: 'levetider.sett', gjelder: Object.keys(changes).join(' ').slice(0, 200) },
        (hvorfor) => setTuning(ports, tunables, { ...by, hvorfor, base, changes }),
      ),

    /** @throws TuningConflictError */
    rollBack: (by: By, base: number) =>
      actOnRecord(
        ports,
        { ...by, handling: 'levetider.rull-tilbake', gjelder: `versjon ${base}` },
        (hvorfor) => rollBackTuning(ports, tunables, { ...by, hvorfor, base }),
      ),

    /** @throws OppslagError `ukjent_nokkel` */
    revokeKey: (by: By, id: string): Promise<Date> =>
      actOnRecord(ports, { ...by, handling: 'nokkel.tilbakekall', gjelder: readId(id) }, async () => {
        const at = await ports.revokeKey(id)
        if (at === null) throw unknown()
        return at
      }),

    /** A new key goes to the address the old one went to. @throws OppslagError when it can not */
    replaceKey: (by: By, id: string, grunn: ReplaceReason): Promise<void> =>
      actOnRecord(ports, { ...by, handling: `nokkel.erstatt.${grunn}`, gjelder: readId(id) }, async () => {
        const outcome = await ports.replaceKey(id, grunn)
        if (outcome === null) throw unknown()
        if (outcome === 'for_mange')
          throw new OppslagError('for_mange', 'Nøkkelen er erstattet for mange ganger i dag.')
        if (outcome === 'ugyldig_lenke')
          throw new OppslagError(
            'ingen_nokkel_igjen',
            'Det er ingen gyldig nøkkel å erstatte, eller ingen adresse.',
          )
      }),

    /** The receipt of an order, once more. @throws OppslagError `ingen_kvittering` */
    resendReceipt: (by: By, order: string): Promise<void> =>
      actOnRecord(ports, { ...by, handling: 'ordre.kvittering', gjelder: readId(order) }, async () => {
        if (!(await resendReceipt(db, order, clock.now())))
          throw new OppslagError('ingen_kvittering', 'Ordren har ingen kvittering å sende.')
        // The errand is found without the bell, a little later.
        await ports.ring(order).catch(() => {})
      }),

    /**
     * The money of an order goes back, all of it, and its keys end at once. Asked again it is the same refund.
     *
     * @throws OppslagError when there is none to give back
     */
    refundOrder: (by: By, order: string): Promise<'bedt' | 'underveis' | 'refundert'> =>
      actOnRecord(
        ports,
        { ...by, handling: 'ordre.refunder', gjelder: readId(order) },
        async () => {
          const asked = await ports.refundOrder(order)
          if (asked === null) throw unknownOrder()
          if (asked === 'ikke_trukket')
            throw new OppslagError('ikke_trukket', 'Ordren har ingen betaling å gi tilbake.')
          if (asked === 'holdes')
            throw new OppslagError(
              'holdes',
              'Beløpet er reservert, og trekkes når nøkkelen er levert. Ingenting er gjort: be om refusjon igjen da.',
            )
          if (asked === 'for_sent')
            throw new OppslagError(
              'for_sent',
              'Vipps gir tilbake innen et år. Betal tilbake på en annen måte, og tilbakekall nøkkelen.',
            )
          // The errand is found without the bell, a little later.
          await ports.ring(order).catch(() => {})
          return asked
        },
        (utfall) => ({ utfall }),
      ),

    /**
     * An order that wanted an operator is decided: its alarm is put out.
     *
     * @throws OppslagError when there is none to put out
     */
    decideOrder: (by: By, order: string): Promise<void> =>
      actOnRecord(ports, { ...by, handling: 'ordre.avgjort', gjelder: readId(order) }, async () => {
        const decided = await ports.decideOrder(order)
        if (decided === null) throw unknownOrder()
        if (decided === 'uten_alarm') throw new OppslagError('uten_alarm', 'Ordren har ingen alarm.')
        if (decided === 'underveis')
          throw new OppslagError(
            'underveis',
            'Pengene er ikke flyttet ennå. Alarmen slukkes av seg selv når de er det.',
          )
      }),

    /** Newest first. */
    trail: (gjelder: readonly string[] | null, limit: number): Promise<Deed[]> =>
      listDeeds(db, { gjelder, limit }),
  }
}

function unknownOrder(): OppslagError {
  return new OppslagError('ukjent_ordre', 'Det finnes ingen ordre med dette nummeret.')
}

function unknown(): OppslagError {
  return new OppslagError('ukjent_nokkel', 'Det finnes ingen nøkkel med denne id-en.')
}

/** What was typed may be a whole key: it is neither looked up, nor written down, nor repeated. @throws InputError */
export function readId(typed: string): string {
  const id = typed.trim()
  if (/^[0-9A-Za-z]{10,12}$/.test(id)) return id
  throw new InputError('ugyldig_id', 'id', {
    norsk: 'En nøkkel-id er tolv tegn og et ordrenummer ti. Skriv aldri inn selve nøkkelen.',
    english: 'A key id is twelve characters and an order number ten. Never type the key itself.',
  })
}
