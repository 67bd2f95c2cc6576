#!/usr/bin/env node
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type Klient, lagKlient } from './client.ts'
import { OppslagProblem } from './problem.ts'
import type { Felt } from './shapes.ts'

const USAGE = `oppslag-klient <orgnr> [--felt navn,status]
oppslag-klient sok <tekst>
oppslag-klient mange <fil> [--felt …] [--csv ut.csv | --xlsx ut.xlsx]

Nøkkelen står i OPPSLAG_NOKKEL, og adressen til tjenesten i OPPSLAG_URL.
The key is read from OPPSLAG_NOKKEL and the service's address from OPPSLAG_URL.
`

const SHEET_MOST = 500

/** Exit codes: 0 done, 1 the service said no, 2 not asked rightly. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      felt: { type: 'string' },
      csv: { type: 'string' },
      xlsx: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  const { OPPSLAG_NOKKEL: nokkel, OPPSLAG_URL: url } = process.env
  const [first, ...rest] = positionals
  if (values.help || first === undefined) {
    process.stdout.write(USAGE)
    return values.help ? 0 : 2
  }
  if (!nokkel || !url) {
    process.stderr.write('OPPSLAG_NOKKEL og OPPSLAG_URL må være satt / must be set.\n')
    return 2
  }
  const klient = lagKlient({ nokkel, url })
  const felt = values.felt?.split(',') as Felt[] | undefined
  const [subject] = rest
  if (first === 'sok' && subject !== undefined) return search(klient, rest.join(' '))
  if (first === 'mange' && subject !== undefined) {
    const orgnrs = (await readFile(subject, 'utf8')).split(/[\s,;]+/).filter((each) => each !== '')
    if (values.xlsx !== undefined) return sheets(klient, orgnrs, 'xlsx', values.xlsx)
    if (values.csv !== undefined) return sheets(klient, orgnrs, 'csv', values.csv)
    return many(klient, orgnrs, felt)
  }
  if (rest.length > 0) {
    process.stdout.write(USAGE)
    return 2
  }
  print(felt === undefined ? await klient.bedrift(first) : await klient.bedrift(first, { felt }))
  return 0
}

async function search(klient: Klient, q: string): Promise<number> {
  const { visshet, treff, totalt } = await klient.sok(q)
  for (const { organisasjonsnummer, navn, poststed } of treff)
    process.stdout.write(`${organisasjonsnummer}  ${navn ?? ''}${poststed === null ? '' : `, ${poststed}`}\n`)
  process.stderr.write(`${visshet}: ${treff.length} av ${totalt}\n`)
  return treff.length === 0 ? 1 : 0
}

/** A line of JSON for each, as they come; how far it has come stands on the other stream. */
async function many(
  klient: Klient,
  orgnrs: readonly string[],
  felt: readonly Felt[] | undefined,
): Promise<number> {
  let count = 0
  let wrong = 0
  const fremdrift = (done: number, all: number) => progress(done, all)
  const lines =
    felt === undefined ? klient.mange(orgnrs, { fremdrift }) : klient.mange(orgnrs, { felt, fremdrift })
  for await (const { organisasjonsnummer, foretak, feil } of lines) {
    count += 1
    if (feil !== undefined) wrong += 1
    process.stdout.write(`${JSON.stringify(foretak ?? { organisasjonsnummer, feil: feil?.body })}\n`)
    progress(count, orgnrs.length)
  }
  process.stderr.write(`\n${count - wrong} foretak, ${wrong} feil\n`)
  return 0
}

/** A workbook has 500 companies: of more there are several, numbered. A CSV has them all. */
async function sheets(
  klient: Klient,
  orgnrs: readonly string[],
  form: 'csv' | 'xlsx',
  path: string,
): Promise<number> {
  const parts: Uint8Array[] = []
  for (let from = 0; from < orgnrs.length; from += SHEET_MOST) {
    parts.push(await klient.regneark(orgnrs.slice(from, from + SHEET_MOST), form))
    progress(Math.min(from + SHEET_MOST, orgnrs.length), orgnrs.length)
  }
  const names = parts.map((_, index) =>
    parts.length === 1 ? path : path.replace(/(\.[^.]*)?$/, `-${index + 1}$1`),
  )
  if (form === 'csv')
    await writeFile(path, Buffer.concat(parts.map((part, index) => (index === 0 ? part : withoutHead(part)))))
  else for (const [index, part] of parts.entries()) await writeFile(names[index] ?? path, part)
  process.stderr.write(`\n${form === 'csv' ? path : names.join(', ')}\n`)
  return 0
}

function withoutHead(part: Uint8Array): Uint8Array {
  return part.subarray(part.indexOf(10) + 1)
}

function progress(done: number, all: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} av ${all}`)
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = error instanceof OppslagProblem ? 1 : 2
  },
)
