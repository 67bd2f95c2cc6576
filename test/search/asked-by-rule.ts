import { randomFrom } from '#test/support/random.ts'
import type { Bulk } from './built-index.ts'
import type { GoldenQuery } from './given-names.ts'

/** A company as the bulk file has it, as far as questions are made of it. */
type Unit = {
  organisasjonsnummer: string
  navn: string
  overordnetEnhet?: string
  hjemmeside?: string
  telefon?: string
  mobil?: string
  historiskeNavn?: { navn: string }[]
}

/**
 * What people type, made of names by rules: each kind of slip and of habit, at many places of many names. Whom it may mean is
 * judged by a measure of its own (letters that differ from each name there is, words in any order), not by the search's.
 */
export function askedByRule(bulk: Bulk): GoldenQuery[] {
  const units = bulk.enheter as Unit[]
  const signs = bulk.underenheter as Unit[]
  const random = randomFrom(20261122)
  const asked: GoldenQuery[] = []
  const names = units.map((unit) => ({
    orgnr: Number(unit.organisasjonsnummer),
    forms: comparable(unit.navn),
  }))

  const add = (why: string, query: string, orgnrs: readonly number[]) => asked.push({ why, query, orgnrs })
  /** Of a company: and of whoever else is as near to what is typed. */
  const addOf = (kind: string, query: string, unit: Unit) => {
    const orgnr = Number(unit.organisasjonsnummer)
    const typed = comparable(query)
    const own = distance(typed, comparable(unit.navn))
    add(kind, query, [
      orgnr,
      ...names
        .filter((other) => other.orgnr !== orgnr && distance(typed, other.forms, own) <= own)
        .map((each) => each.orgnr),
    ])
  }
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const some = (count: number, is: (name: string) => boolean) => {
    const fit = units.filter(({ navn }) => is(bare(navn)))
    return Array.from({ length: Math.min(count, fit.length) }, () =>
      fit.splice(Math.floor(random() * fit.length), 1),
    ).flat()
  }
  const hasWord = (letters: number) => (name: string) => name.split(' ').some((word) => isWord(word, letters))

  for (const unit of some(24, hasWord(4))) {
    const word = pick(
      bare(unit.navn)
        .split(' ')
        .filter((each) => isWord(each, 4)),
    )
    const at = Math.floor(random() * word.length)
    for (const [slip, text] of Object.entries(slips(word, at, random)))
      addOf(`one letter ${slip}`, bare(unit.navn).replace(word, text), unit)
  }
  for (const unit of some(4, (name) => isWord(name, 6))) {
    for (let at = 0; at < bare(unit.navn).length; at += 1)
      addOf('one letter left out, at each place', left(bare(unit.navn), at), unit)
  }
  for (const unit of some(24, hasWord(8))) {
    const word = pick(
      bare(unit.navn)
        .split(' ')
        .filter((each) => isWord(each, 8)),
    )
    const half = Math.floor(word.length / 2)
    const first = pick(Object.values(slips(word, Math.floor(random() * half), random)))
    const second = half + Math.floor(random() * (first.length - half))
    addOf(
      'two letters wrong',
      bare(unit.navn).replace(word, pick(Object.values(slips(first, second, random)))),
      unit,
    )
  }
  for (const unit of some(24, hasWord(8))) {
    const word = pick(
      bare(unit.navn)
        .split(' ')
        .filter((each) => isWord(each, 8)),
    )
    const at = 3 + Math.floor(random() * (word.length - 5))
    addOf('one word split', bare(unit.navn).replace(word, `${word.slice(0, at)} ${word.slice(at)}`), unit)
  }
  for (const unit of some(24, (name) => name.split(' ').length > 1))
    addOf('words run together', bare(unit.navn).replace(' ', ''), unit)
  for (const unit of some(24, (name) => /[æøå]/.test(name)))
    for (const [spelling, text] of Object.entries(respelt(bare(unit.navn))))
      addOf(`æøå as ${spelling}`, text, unit)
  for (const unit of some(10, (name) => /aa/.test(name)))
    addOf('aa as å', bare(unit.navn).replaceAll('aa', 'å'), unit)
  for (const unit of some(24, (name) => name.split(' ').length > 1))
    addOf('words in another order', bare(unit.navn).split(' ').reverse().join(' '), unit)
  for (const unit of some(12, () => true)) {
    addOf('form before', `A/S ${bare(unit.navn)}`, unit)
    addOf('form behind', `${bare(unit.navn)} a/s`, unit)
    addOf('capitals', `  ${unit.navn.toUpperCase()}. `, unit)
  }
  for (const unit of some(12, (name) => /&/.test(name))) {
    addOf('& as og', bare(unit.navn).replaceAll('&', 'og'), unit)
    addOf('& left out', bare(unit.navn).replaceAll(/\s*&\s*/g, ' '), unit)
  }
  for (const unit of some(12, (name) => /^\p{L}{2,3} /u.test(name)))
    addOf(
      'initials with dots',
      bare(unit.navn).replace(/^\p{L}+/u, (letters) => `${[...letters].join('.')}.`),
      unit,
    )
  for (const unit of some(12, (name) => /[-./]/.test(name))) {
    addOf('hyphens and dots as spaces', bare(unit.navn).replaceAll(/[-./]+/g, ' '), unit)
    addOf('hyphens and dots left out', bare(unit.navn).replaceAll(/[-./]+/g, ''), unit)
  }
  for (const unit of some(12, (name) => name.split(' ').length > 1)) {
    addOf(
      'a word more',
      `${bare(unit.navn)} ${pick(['avdeling', 'hovedkontor', 'butikk', 'nettbutikk'])}`,
      unit,
    )
    addOf('beginning of the last word', bare(unit.navn).slice(0, -2), unit)
  }
  for (const unit of units)
    for (const { navn } of unit.historiskeNavn ?? []) {
      add('former name', bare(navn), [Number(unit.organisasjonsnummer)])
      if (hasWord(6)(bare(navn)))
        add('former name, one letter wrong', left(bare(navn), 3), [Number(unit.organisasjonsnummer)])
    }
  for (const [brand, doors] of Map.groupBy(signs, ({ navn }) => brandOf(bare(navn), units))) {
    if (doors.length < 2) continue
    add('brand of sub-units', brand, [Number(doors[0]?.overordnetEnhet)])
    for (const { navn, organisasjonsnummer } of doors) {
      add('brand and place', bare(navn), [Number(organisasjonsnummer)])
      add('brand and misspelt place', left(bare(navn), bare(navn).length - 3), [Number(organisasjonsnummer)])
    }
  }
  for (const [host, holders] of Map.groupBy(
    units.filter(({ hjemmeside }) => hjemmeside),
    (unit) => hostOf(unit),
  )) {
    const whose =
      holders.length > 2 ? [] : holders.map(({ organisasjonsnummer }) => Number(organisasjonsnummer))
    add('site', `https://www.${host}/om-oss?a=1`, whose)
    add('site in capitals', host.toUpperCase(), whose)
    add('site that ends so', `x${host}`, [])
    add('site below', `${host}.example.org`, [])
  }
  for (const unit of units)
    for (const number of [unit.telefon, unit.mobil]) {
      const digits = number?.replaceAll(/\D/g, '').slice(-8) ?? ''
      if (digits.length < 8) continue
      add('telephone', `+47 ${digits.replace(/(..)(?=.)/g, '$1 ')}`, [Number(unit.organisasjonsnummer)])
      add('telephone', `tlf. ${digits}`, [Number(unit.organisasjonsnummer)])
    }
  for (const unit of some(8, () => true)) {
    const { organisasjonsnummer: number } = unit
    add('number', number.replace(/(...)(...)/, '$1 $2 '), [Number(number)])
    add('number', `Org.nr: ${number}`, [Number(number)])
    add('number', `NO${number}MVA`, [Number(number)])
    add('number with a wrong digit', `${number.slice(0, 8)}${(Number(number[8]) + 1) % 10}`, [])
  }
  for (const word of GENERIC)
    add(
      'generic word',
      word,
      units
        .filter(({ navn }) => bare(navn) === word)
        .map(({ organisasjonsnummer }) => Number(organisasjonsnummer)),
    )
  for (let count = 0; count < 12; count += 1) {
    const [one, other] = [pick(units), pick(units)]
    add('two companies at once', `${bare(one.navn)} ${bare(other.navn)}`, [])
    add('noise', Array.from({ length: 7 }, () => pick([...'bcdfghjklmnpqrstvwxz'])).join(''), [])
  }
  return asked
}

const GENERIC = [
  'eiendom',
  'holding as',
  'norge',
  'bygg',
  'invest',
  'norsk',
  'gruppen',
  'laks',
  'oppdrett',
  'consulting',
  'data',
  'kommune',
  'borettslag',
  'as',
  'services norway',
]

/** Without the form of company, in small letters. */
function bare(name: string): string {
  return name
    .toLowerCase()
    .replace(/^(?:a\/s|as|ll) /, '')
    .replace(/ (?:asa|a\/s nuf|as|sa|bbl|nuf|ans)$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

const isWord = (text: string, letters: number) => new RegExp(`^\\p{L}{${letters},}$`, 'u').test(text)
const left = (text: string, at: number) => text.slice(0, at) + text.slice(at + 1)

function slips(word: string, at: number, random: () => number): Record<string, string> {
  const letter = 'abdeghiklmnoprstuvy'[Math.floor(random() * 19)] as string
  const swap = Math.min(at, word.length - 2)
  return {
    'left out': left(word, at),
    'put in': word.slice(0, at) + letter + word.slice(at),
    changed: word.slice(0, at) + letter + word.slice(at + 1),
    swapped: word.slice(0, swap) + word[swap + 1] + word[swap] + word.slice(swap + 2),
    doubled: word.slice(0, at) + word[at] + word.slice(at),
  }
}

function respelt(name: string): Record<string, string> {
  const as = (letters: Record<string, string>) =>
    name.replaceAll(/[æøå]/g, (letter) => letters[letter] ?? letter)
  return {
    'a and o': as({ æ: 'ae', ø: 'o', å: 'a' }),
    'oe and aa': as({ æ: 'ae', ø: 'oe', å: 'aa' }),
    Swedish: as({ æ: 'ä', ø: 'ö' }),
  }
}

const hostOf = ({ hjemmeside = '' }: Unit) =>
  hjemmeside
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/\/.*$/, '')

/** What a sign says before the place, unless it is the name of its company. */
function brandOf(sign: string, units: readonly Unit[]): string {
  const places = new Set(['majorstuen', 'bergen', 'trondheim', 'torg', 'alta', 'avd'])
  const brand = sign
    .split(' ')
    .filter((word) => !places.has(word))
    .join(' ')
  return units.some(({ navn }) => bare(navn) === brand) ? '' : brand
}

/** A text's letters, and the same with its words in order of the alphabet. */
function comparable(text: string): [string, string] {
  const words = bare(text)
    .replaceAll(/æ|ä/g, 'ae')
    .replaceAll(/ø|ö|oe/g, 'o')
    .replaceAll(/å|aa/g, 'a')
    .replaceAll('&', ' og ')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && word !== 'og')
  return [words.join(''), words.toSorted().join('')]
}

function distance(typed: [string, string], name: [string, string], most = 99): number {
  return Math.min(edits(typed[0], name[0], most), edits(typed[1], name[1], most))
}

/** Letters left out, put in or changed (Wagner and Fischer); above `most` it is not counted to the end. */
function edits(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1)
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]),
        ),
      )
    last = row
  }
  return last[b.length] ?? 0
}
