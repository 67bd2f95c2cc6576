import type { Content } from '../compose.ts'
import { copyBlock, factsBlock, noteBlock, wordsBlock } from './blocks.ts'
import type { Letterhead } from './letterhead.ts'
import { moment } from './wording.ts'
import { write } from './write.ts'

export type TestKeyMail = {
  key: string
  keyId: string
  /** The first instant at which it is no longer valid. */
  expires: Date
}

/** A key that sees invented companies alone. Whoever gets one without having asked has nothing to do. */
export function testKeyMail({ key, keyId, expires }: TestKeyMail, head: Letterhead): Content {
  const call = copyBlock(`curl -H "Authorization: Bearer ${key}" ${head.publicUrl}/api/bedrift/status`)
  const page = { kind: 'link', url: `${head.publicUrl}/dokumentasjon/sandkasse` } as const
  return write(
    {
      subject: `Testnøkkelen din til ${head.name}`,
      norsk: {
        title: 'Testnøkkelen din',
        blocks: [
          wordsBlock(
            `Dette er en testnøkkel til ${head.name}. Den ser bare oppdiktede foretak og koster ingenting:`,
          ),
          copyBlock(key),
          wordsBlock('Slik prøver du den:'),
          call,
          factsBlock(['Gyldig til', moment(expires, 'nb')], ['Nøkkelens id', keyId]),
          wordsBlock('Hvilke foretak den ser, og hvordan du får en ny når du vil:'),
          page,
          noteBlock(
            'Ba du ikke om den, trenger du ikke å gjøre noe. Vi har verken nøkkelen eller adressen din.',
          ),
        ],
        sender: `Hilsen ${head.name}`,
      },
      english: {
        title: 'Your test key',
        blocks: [
          wordsBlock(
            `This is a test key to ${head.name}. It sees invented companies alone and costs nothing:`,
          ),
          copyBlock(key),
          wordsBlock('Try it like this:'),
          call,
          factsBlock(['Valid until', moment(expires, 'en')], ['Key id', keyId]),
          wordsBlock('Which companies it sees, and how you get a new one whenever you like:'),
          page,
          noteBlock(
            'If you did not ask for it, there is nothing to do. We keep neither the key nor your address.',
          ),
        ],
        sender: `Regards, ${head.name}`,
      },
    },
    head,
  )
}
