import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import { clientCode, exampleValues } from './client-code.ts'
import { pathOf, type Type } from './contents.ts'
import { fieldList, typeText } from './field-list.ts'
import { codeBlock } from './markdown.ts'
import type { DocumentedAnswer, DocumentedCall } from './operations.ts'
import { shortened } from './shortened.ts'

type Tried = { address: string; status: number; body: unknown }

/**
 * One call: what it takes, what it answers, how it is made, and a form that makes it with the public test key.
 *
 * @param tried what came of it, when it was just made
 */
export function operationText(
  operation: DocumentedCall,
  {
    language,
    at,
    url,
    tried,
  }: { language: Language; at: (path: string) => string; url: string; tried: Tried | null },
): string {
  const t = words[language]
  const { method, path, title, description, parameters, answers } = operation
  const good = answers.filter(({ status }) => status.startsWith('2'))
  const code = clientCode(operation, url)
  return html`<h1 class="ds-heading" data-size="lg">${title}</h1>
<p class="ds-paragraph"><code>${method} ${path}</code></p>
!${description === '' ? '' : html`<p class="ds-paragraph">${description}</p>`}
!${codeBlock(code.curl, 'sh')}
!${method === 'GET' ? tryForm(operation, language, tried) : ''}
!${parameters.length === 0 ? '' : html`<h2 class="ds-heading" data-size="sm" id="parametre">${t.parameters}</h2>!${fieldList(parameters, language, at)}`}
!${good.map((answer) => answerText(answer, language, at))}
<h2 class="ds-heading" data-size="sm" id="kode">${t.code}</h2>
!${(['javascript', 'python', 'csharp'] as const).map(
    (each) =>
      html`<details class="dok__program"><summary>${codeNames[each]}</summary>!${codeBlock(code[each], each)}</details>`,
  )}
<h2 class="ds-heading" data-size="sm" id="andre-svar">${t.others}</h2>
<div class="rulle" tabindex="0"><table class="ds-table" data-size="sm"><tbody>!${answers
    .filter((answer) => !good.includes(answer))
    .map(
      ({ status, description: codes }) => html`<tr><td>${status}</td><td>!${codeLinks(codes, at)}</td></tr>`,
    )}</tbody></table></div>`
}

/** Every call that reads, each with its form: one place to try them all. What is posted stands on its own page, with curl. */
export function consoleText(
  operations: readonly DocumentedCall[],
  { language, at }: { language: Language; at: (path: string) => string },
): string {
  const t = words[language]
  return html`<h1 class="ds-heading" data-size="lg">${t.console}</h1>
<p class="ds-paragraph ingress">${t.consoleNote}</p>
!${operations.map(
    (operation) =>
      html`<section aria-labelledby="${operation.id}"><h2 class="ds-heading" data-size="2xs" id="${operation.id}"><a class="ds-link" href="${at(pathOf.operation(operation.id))}"><code>${operation.method} ${operation.path}</code></a></h2>
<p class="ds-paragraph">${operation.title}</p>
!${operation.method === 'GET' ? tryForm(operation, language, null) : ''}</section>`,
  )}
<p class="ds-paragraph">${t.inPrograms} <a class="ds-link" href="/openapi.json">OpenAPI</a>, <a class="ds-link" href="/dokumentasjon/postman.json">Postman, Bruno</a>.</p>`
}

/** Without script: the answer comes as a page. */
function tryForm(operation: DocumentedCall, language: Language, tried: Tried | null): string {
  const t = words[language]
  const values = tried === null ? exampleValues(operation) : valuesOf(tried.address, operation)
  const fields = operation.parameters.filter(({ in: place }) => place !== 'header')
  const isOpen = tried === null ? '' : ' open'
  const answer =
    tried === null
      ? ''
      : html`<p class="ds-paragraph" role="status">${t.answer} ${tried.status}: <code>GET ${tried.address}</code></p>!${codeBlock(shownAnswer(tried.body), 'json')}`
  return html`<details class="dok__prov"!${isOpen} id="prov"><summary>${t.try}</summary>
<form action="/dokumentasjon/prov/${operation.id}#prov">
!${fields.map(({ name, isRequired }) => {
    const id = `prov-${operation.id}-${name}`
    return html`<div class="ds-field"><label class="ds-label" for="${id}">${name}</label><input class="ds-input" id="${id}" name="${name}" maxlength="200" value="${values[name] ?? ''}"!${isRequired ? ' required' : ''}></div>`
  })}
!${language === 'en' ? '<input type="hidden" name="lang" value="en">' : ''}
<p class="ds-paragraph" data-size="sm">${t.tryNote}</p>
<button class="ds-button" type="submit">${t.send}</button>
</form>
!${answer}</details>`
}

function valuesOf(address: string, { path, parameters }: DocumentedCall): Record<string, string> {
  const { pathname, searchParams } = new URL(address, 'http://x')
  const parts = pathname.split('/')
  const inPath = path
    .split('/')
    .flatMap((part, index) =>
      part.startsWith('{') ? [[part.slice(1, -1), decodeURIComponent(parts[index] ?? '')]] : [],
    )
  const known = new Set(parameters.map(({ name }) => name))
  return Object.fromEntries([...inPath, ...[...searchParams].filter(([name]) => known.has(name))])
}

function shownAnswer(body: unknown): string {
  const text = JSON.stringify(body, null, 2)
  return text.length <= ANSWER_LETTERS_MAX
    ? text
    : JSON.stringify(shortened(body), null, 2).slice(0, ANSWER_LETTERS_MAX)
}

const ANSWER_LETTERS_MAX = 20_000

function answerText(
  { status, type, names, headers, fields, example }: DocumentedAnswer,
  language: Language,
  at: (path: string) => string,
): string {
  const t = words[language]
  return html`<h2 class="ds-heading" data-size="sm" id="svar">${t.answer} ${status}!${type === null ? '' : html`: !${typeText({ type, names }, at)}`}</h2>
!${example === undefined ? '' : codeBlock(JSON.stringify(shortened(example), null, 2), 'json')}
!${fieldList(fields, language, at)}
!${headers.length === 0 ? '' : html`<h3 class="ds-heading" data-size="2xs">${t.headers}</h3>!${fieldList(headers, language, at)}`}`
}

/** A list of problem codes leads to their pages; other words stand as they are. */
function codeLinks(description: string, at: (path: string) => string): string {
  if (!/^[a-z_]+(, [a-z_]+)*$/.test(description)) return html`${description}`
  return description
    .split(', ')
    .map(
      (kode) => html`<a class="ds-link" href="${at(`/dokumentasjon/feil/${kode}`)}"><code>${kode}</code></a>`,
    )
    .join(', ')
}

/** One named shape. */
export function typeTextPage(
  { name, description, told, names, fields }: Type,
  language: Language,
  at: (path: string) => string,
): string {
  return html`<h1 class="ds-heading" data-size="lg"><code>${name}</code></h1>
!${description === '' ? '' : html`<p class="ds-paragraph">${description}</p>`}
!${fields.length > 0 ? fieldList(fields, language, at) : html`<p class="ds-paragraph">!${typeText({ type: told, names }, at)}</p>`}`
}

const codeNames = { javascript: 'JavaScript', python: 'Python', csharp: 'C#' }

const words = {
  nb: {
    parameters: 'Parametre',
    answer: 'Svar',
    headers: 'Headere',
    code: 'Som program',
    others: 'Andre svar',
    try: 'Prøv kallet',
    tryNote: 'Svaret er om oppdiktede foretak. Kallet gjøres med nøkkelen som er for alle.',
    send: 'Send',
    console: 'Prøv alle kall',
    consoleNote:
      'Hvert kall som leser, med et skjema. Det gjøres med nøkkelen som er for alle, og svarene er om oppdiktede foretak.',
    inPrograms:
      'Med din egen nøkkel prøver du i et program på din egen maskin, som tar inn beskrivelsen av alle kall:',
  },
  en: {
    parameters: 'Parameters',
    answer: 'Answer',
    headers: 'Headers',
    code: 'As a program',
    others: 'Other answers',
    try: 'Try the call',
    tryNote: 'The answer is about invented companies. The call is made with the key that is for everybody.',
    send: 'Send',
    console: 'Try every call',
    consoleNote:
      'Each call that reads, with a form. It is made with the key that is for everybody, and the answers are about invented companies.',
    inPrograms:
      'With a key of your own, try in a program on your own machine, which takes in the description of every call:',
  },
}
