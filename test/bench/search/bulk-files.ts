import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createGzip } from 'node:zlib'
import type { Bulk } from '#test/search/built-index.ts'
import { type Random, randomFrom } from '../../support/random.ts'
import { brandWord, form, nameOf, place, places, signOf, surname } from './invented-names.ts'

/** The register's size in September 2026. */
const FULL = { units: 1_180_000, subUnits: 860_000, formerNames: 640_000 }

/**
 * Writes the two bulk files as the register sends them: pretty-printed arrays, gzipped, links and all, with real units among
 * the invented.
 */
export async function writeBulkFiles(folder: string, scale: number, real: Bulk): Promise<void> {
  const taken = new Set(
    real.enheter.map((unit) => Number((unit as { organisasjonsnummer: string }).organisasjonsnummer)),
  )
  const { unit, subUnit } = inventor(1, taken)
  await write(join(folder, 'enheter.json.gz'), Math.round(FULL.units * scale), real.enheter, unit)
  await write(
    join(folder, 'underenheter.json.gz'),
    Math.round(FULL.subUnits * scale),
    real.underenheter,
    subUnit,
  )
}

/** So many of them at hand. */
export function inventUnits({
  units,
  subUnits,
  seed,
}: {
  units: number
  subUnits: number
  seed: number
}): Bulk {
  const { unit, subUnit } = inventor(seed, new Set())
  return {
    enheter: Array.from({ length: units }, unit),
    underenheter: Array.from({ length: subUnits }, subUnit),
  }
}

/** One unit after the other, and then their sub-units. */
function inventor(seed: number, taken: ReadonlySet<number>) {
  const random = randomFrom(seed)
  const parents: { orgnr: string; name: string }[] = []
  const numbers = numbersFrom(810_000_000, taken)
  return {
    unit() {
      const code = form(random)
      const orgnr = numbers()
      const name = nameOf(random, code)
      // Every fourth has nearly all sub-units between them.
      if (random() < 0.7 && code !== 'KBO') parents.push({ orgnr, name })
      return unit(random, { orgnr, name, code })
    },
    subUnit() {
      const parent = parents[Math.floor(parents.length * random() ** 1.4)] as (typeof parents)[number]
      return subUnit(random, numbers(), parent)
    },
  }
}

async function write(
  path: string,
  count: number,
  real: readonly unknown[],
  make: () => unknown,
): Promise<void> {
  const gzip = createGzip({ level: 1 })
  const file = createWriteStream(path)
  gzip.pipe(file)
  const every = Math.max(1, Math.floor(count / (real.length + 1)))
  let realNext = 0
  gzip.write('[ ')
  let text = ''
  for (let index = 0; index < count; index += 1) {
    const isReal = index % every === every - 1 && realNext < real.length
    const each = isReal ? real[realNext++] : make()
    text += `${index === 0 ? '' : ', '}${JSON.stringify(each, null, 2)}`
    if (text.length < 500_000) continue
    if (!gzip.write(text)) await once(gzip, 'drain')
    text = ''
  }
  for (const each of real.slice(realNext)) text += `, ${JSON.stringify(each, null, 2)}`
  gzip.end(`${text} ]`)
  await once(file, 'close')
}

/** Numbers with right check digits, one after the other, none that a real one has. */
function numbersFrom(first: number, taken: ReadonlySet<number>): () => string {
  let next = Math.floor(first / 10)
  return () => {
    while (true) {
      const digits = String(next++)
      const sum = [3, 2, 7, 6, 5, 4, 3, 2].reduce(
        (total, weight, index) => total + weight * Number(digits[index]),
        0,
      )
      const check = (11 - (sum % 11)) % 11
      if (check === 10 || taken.has(Number(`${digits}${check}`))) continue
      return `${digits}${check}`
    }
  }
}

function unit(random: Random, { orgnr, name, code }: { orgnr: string; name: string; code: string }) {
  const isCompany = code === 'AS' || code === 'ASA' || code === 'SA'
  const size = random()
  const employees = isCompany && size < 0.22 ? Math.floor(5 + 6 * (1 / (0.001 + random()) ** 0.8 - 1)) : null
  return {
    organisasjonsnummer: orgnr,
    navn: name,
    organisasjonsform: { kode: code, beskrivelse: BESKRIVELSER[code] ?? code, links: [] },
    historiskeNavn: formerNames(random, isCompany),
    hjemmeside: random() < 0.11 ? siteOf(random, name) : undefined,
    postadresse: address(random),
    registreringsdatoEnhetsregisteret: date(random),
    registrertIMvaregisteret: random() < 0.4,
    naeringskode1: {
      kode: NAERINGER[Math.floor(random() * NAERINGER.length)],
      beskrivelse: 'Utleie av egen eller leid fast eiendom ellers',
    },
    antallAnsatte: employees ?? undefined,
    harRegistrertAntallAnsatte: employees !== null || (isCompany && size < 0.5),
    forretningsadresse: address(random),
    stiftelsesdato: date(random),
    institusjonellSektorkode: { kode: '2100', beskrivelse: 'Private aksjeselskaper mv.' },
    registrertIForetaksregisteret: isCompany,
    registrertIStiftelsesregisteret: false,
    registrertIFrivillighetsregisteret: code === 'FLI',
    sisteInnsendteAarsregnskap: isCompany ? '2025' : undefined,
    konkurs: random() < 0.005,
    underAvvikling: random() < 0.006,
    underTvangsavviklingEllerTvangsopplosning: random() < 0.004,
    maalform: 'Bokmål',
    vedtektsdato: date(random),
    vedtektsfestetFormaal: [
      'Drive handel, investering og utleie av fast eiendom, og det som naturlig hører til.',
    ],
    aktivitet: ['Handel, investering og utleie av fast eiendom.'],
    epostadresse: random() < 0.3 ? `post@${random() < 0.5 ? 'gmail.com' : siteOf(random, name)}` : undefined,
    telefon: random() < 0.2 ? phone(random, '2357') : undefined,
    mobil: random() < 0.25 ? phone(random, '49') : undefined,
    respons_klasse: 'Enhet',
    links: [{ rel: 'self', href: `https://data.brreg.no/enhetsregisteret/api/enheter/${orgnr}` }],
  }
}

function subUnit(random: Random, orgnr: string, parent: { orgnr: string; name: string }) {
  return {
    organisasjonsnummer: orgnr,
    navn: signOf(random, parent.name),
    organisasjonsform: {
      kode: 'BEDR',
      beskrivelse: 'Underenhet til næringsdrivende og offentlig forvaltning',
      links: [],
    },
    registreringsdatoEnhetsregisteret: date(random),
    registrertIMvaregisteret: false,
    naeringskode1: {
      kode: NAERINGER[Math.floor(random() * NAERINGER.length)],
      beskrivelse: 'Utleie av egen eller leid fast eiendom ellers',
    },
    harRegistrertAntallAnsatte: random() < 0.3,
    overordnetEnhet: parent.orgnr,
    oppstartsdato: date(random),
    beliggenhetsadresse: address(random),
    respons_klasse: 'Enhet',
    links: [{ rel: 'self', href: `https://data.brreg.no/enhetsregisteret/api/underenheter/${orgnr}` }],
  }
}

/** Every fifth has had another name, companies mostly; some many. */
function formerNames(
  random: Random,
  isCompany: boolean,
): { navn: string; fraDato: string; tilDato: string }[] | undefined {
  if (random() > (isCompany ? 0.42 : 0.07)) return undefined
  const count = 1 + Math.floor(4.1 * random() ** 1.5)
  return Array.from({ length: count }, () => ({
    navn:
      random() < 0.3
        ? `${surname(random)} ${['INVEST', 'NÆRING', 'STARTSELSKAP'][Math.floor(random() * 3)]} ${Math.floor(random() * 900)} AS`
        : nameOf(random, isCompany ? 'AS' : 'ENK'),
    fraDato: `${date(random)} 16:23:00`,
    tilDato: `${date(random)} 08:32:09`,
  }))
}

function siteOf(random: Random, name: string): string {
  const word = random() < 0.5 ? (name.split(' ')[0] ?? '') : brandWord(random)
  return `www.${word.toLowerCase().replace(/[^a-z0-9]/g, '') || 'firma'}${random() < 0.5 ? '' : Math.floor(random() * 30)}.no`
}

function address(random: Random) {
  const at = place(random)
  return {
    land: 'Norge',
    landkode: 'NO',
    postnummer: String(1000 + Math.floor(random() * 8900)).padStart(4, '0'),
    poststed: at,
    adresse: [`Storgata ${1 + Math.floor(random() * 120)}`],
    kommune: at,
    kommunenummer: String(301 + 13 * places.indexOf(at)).padStart(4, '0'),
  }
}

const phone = (random: Random, first: string) =>
  `${first[Math.floor(random() * first.length)]}${String(Math.floor(random() * 1e7)).padStart(7, '0')}`

const date = (random: Random) =>
  `${1995 + Math.floor(random() * 31)}-${String(1 + Math.floor(random() * 12)).padStart(2, '0')}-${String(1 + Math.floor(random() * 28)).padStart(2, '0')}`

const NAERINGER = [
  '68.200',
  '64.210',
  '41.000',
  '43.320',
  '49.410',
  '56.110',
  '62.100',
  '70.200',
  '86.230',
  '96.210',
]
const BESKRIVELSER: Record<string, string> = {
  AS: 'Aksjeselskap',
  ASA: 'Allmennaksjeselskap',
  ENK: 'Enkeltpersonforetak',
  FLI: 'Forening/lag/innretning',
  NUF: 'Norskregistrert utenlandsk foretak',
}
