import { BODIES, EXAMPLE_NAME, QUESTIONS } from '#src/samples/questions.ts'
import type { DocumentedCall } from './operations.ts'

/** The languages a call is shown in. */
const CODE_LANGUAGES = ['curl', 'javascript', 'python', 'csharp'] as const
export type CodeLanguage = (typeof CODE_LANGUAGES)[number]

/** A whole program for each language that makes this call with examples for what it needs, and prints the answer. */
export function clientCode(operation: DocumentedCall, url: string): Record<CodeLanguage, string> {
  const address = `${url}${exampleAddress(operation)}`
  const sent = BODIES[operation.id]
  const body = sent === undefined ? null : JSON.stringify(sent)
  const call: Call = {
    method: operation.method,
    address,
    body,
    headers: operation.parameters
      .filter((each) => each.in === 'header')
      .map(({ name }) => [name, EXAMPLE_NAME]),
    isJson: !OTHER_THAN_JSON.has(operation.id),
  }
  return { curl: curl(call), javascript: javascript(call), python: python(call), csharp: csharp(call) }
}

type Call = {
  method: string
  address: string
  body: string | null
  headers: readonly (readonly [name: string, value: string])[]
  isJson: boolean
}

/** Lines, or nothing. */
const OTHER_THAN_JSON: ReadonlySet<string> = new Set([
  'slaaOppMange',
  'hentResultat',
  'avbrytBestilling',
  'overvakMange',
  'sluttAOvervake',
  'slettEndepunkt',
])

/** With the example of each parameter that has one to show. */
function exampleAddress(operation: DocumentedCall): string {
  return filledIn(operation, exampleValues(operation))
}

/** What each parameter of a call is shown with: those in the path, and what is asked for in `QUESTIONS`. */
export function exampleValues({ id, parameters }: DocumentedCall): Record<string, string> {
  const inPath = parameters
    .filter((each) => each.in === 'path')
    .map(({ name, example }) => [name, String(example)])
  return { ...Object.fromEntries(inPath), ...QUESTIONS[id] }
}

/** The address of a call. What the call does not have, and what is left empty, is left out. */
export function filledIn(
  { path, parameters }: DocumentedCall,
  values: Readonly<Record<string, unknown>>,
): string {
  const query = new URLSearchParams()
  let filled = path
  for (const { name, in: place } of parameters) {
    const given = values[name]
    if (typeof given !== 'string' || given === '') continue
    const value = beginningOf(given)
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value))
    if (place === 'query') query.set(name, value)
  }
  return query.size === 0 ? filled : `${filled}?${query}`
}

/** As much of what somebody typed as is asked with. Half of a letter, which no address can have, is none of it (P182). */
export function beginningOf(typed: string): string {
  return typed.slice(0, LETTERS_MAX).toWellFormed()
}

const LETTERS_MAX = 200

function curl({ method, address, body, headers }: Call): string {
  const parts = [
    'curl -s',
    method === 'GET' ? null : `-X ${method}`,
    '-H "Authorization: Bearer $NOKKEL"',
    ...headers.map(([name, value]) => `-H '${name}: ${value}'`),
    body === null ? null : `-H 'Content-Type: application/json' -d '${body}'`,
    `'${address}'`,
  ]
  return parts.filter((part) => part !== null).join(' ')
}

function javascript({ method, address, body, headers, isJson }: Call): string {
  const more = [
    ...(method === 'GET' ? [] : [`\n  method: '${method}',`]),
    ...(body === null ? [] : [`\n  body: '${body}',`]),
  ].join('')
  const besides = [
    ...(body === null ? [] : [`, 'content-type': 'application/json'`]),
    ...headers.map(([name, value]) => `, '${name}': '${value}'`),
  ].join('')
  return `const answer = await fetch('${address}', {
  headers: { authorization: \`Bearer \${process.env.NOKKEL}\`${besides} },${more}
})
const body = await answer.${isJson ? 'json' : 'text'}()
if (!answer.ok) throw new Error(\`\${body.kode}: \${body.detail}\`)
console.log(body)
`
}

function python({ method, address, body, headers, isJson }: Call): string {
  const data = [
    ...(body === null ? [] : [` data=b'${body}',`]),
    ...(method === 'GET' ? [] : [` method="${method}",`]),
  ].join('')
  const besides = [
    ...(body === null ? [] : [', "Content-Type": "application/json"']),
    ...headers.map(([name, value]) => `, "${name}": "${value}"`),
  ].join('')
  return `import json, os, urllib.request

call = urllib.request.Request(
    "${address}",${data === '' ? '' : `\n   ${data}`}
    headers={"Authorization": f"Bearer {os.environ['NOKKEL']}"${besides}},
)
with urllib.request.urlopen(call, timeout=20) as answer:
    print(${isJson ? 'json.load(answer)' : 'answer.read().decode()'})
`
}

function csharp({ method, address, body, headers }: Call): string {
  const more = [
    ...headers.map(([name, value]) => `\n        call.Headers.Add("${name}", "${value}");`),
    ...(body === null
      ? []
      : [
          `\n        call.Content = new StringContent(${JSON.stringify(body)}, Encoding.UTF8, "application/json");`,
        ]),
  ].join('')
  return `using System;
using System.Net.Http;
using System.Net.Http.Headers;${body === null ? '' : '\nusing System.Text;'}
using System.Threading.Tasks;

class Program
{
    static async Task Main()
    {
        var client = new HttpClient();
        var call = new HttpRequestMessage(new HttpMethod("${method}"), "${address}");
        call.Headers.Authorization = new AuthenticationHeaderValue("Bearer", Environment.GetEnvironmentVariable("NOKKEL"));${more}
        var answer = await client.SendAsync(call);
        answer.EnsureSuccessStatusCode();
        Console.WriteLine(await answer.Content.ReadAsStringAsync());
    }
}
`
}
